import { expect, test } from 'vitest'
import { Roster } from './roster.ts'

test('whoever has left is not there any more, and the others still are', () => {
  const roster = new Roster<string>()
  const entries = ['a', 'b', 'c', 'd'].map((name) => roster.add(name))
  roster.remove(entries[1]!)
  roster.remove(entries[3]!)
  expect([...roster].sort()).toEqual(['a', 'c'])
  roster.remove(entries[0]!)
  expect([...roster]).toEqual(['c'])
  expect(roster.size).toBe(1)
})

test('one of those who are there is found, and none who has left', () => {
  const roster = new Roster<string>()
  const entry = roster.add('a')
  roster.add('b')
  expect(roster.some((name) => name === 'a')).toBe(true)
  roster.remove(entry)
  expect(roster.some((name) => name === 'a')).toBe(false)
  expect(roster.some((name) => name === 'b')).toBe(true)
})

test('leaving twice takes nobody else away', () => {
  const roster = new Roster<string>()
  const first = roster.add('a')
  roster.remove(first)
  roster.add('b')
  roster.remove(first)
  expect([...roster]).toEqual(['b'])
})

test('who leaves while all are told is not told, and nobody else is left out', () => {
  const roster = new Roster<number>()
  const entries = Array.from({ length: 10 }, (_, number) => roster.add(number))
  const told: number[] = []
  for (const number of roster) {
    told.push(number)
    roster.remove(entries[number]!)
    roster.remove(entries[(number + 1) % 10]!)
  }
  expect(told).toEqual([0, 2, 4, 6, 8])
  expect(roster.size).toBe(0)
})

test('an entry that was given up holds nothing', () => {
  const roster = new Roster<object>()
  const entry = roster.add({})
  roster.remove(entry)
  expect(entry.item).toBeUndefined()
})
