// @module-tag redis-server

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { reaching } from './reach.ts'
import { createLook, createSwitch, type Look, reachedIn, type Switch } from './switch.ts'

let live: Switch
let look: Look
let isLive: Look['is']

beforeEach(() => {
  live = createSwitch()
  look = createLook(live.folder)
  isLive = look.is
})

afterEach(() => live.remove())

test('one fault is live at a time, and none once it is turned off', async () => {
  await live.turn('one')
  expect([isLive('one'), isLive('other')]).toEqual([true, false])
  await live.turn(undefined)
  expect([isLive('one'), isLive('other')]).toEqual([false, false])
})

test('while it is watched none is live, and what any program asks for is told, the database too', async () => {
  isLive('before')
  const { result, reached } = await live.watch(async () => {
    // The database cannot append.
    writeFileSync(join(reachedIn(live.folder), '1.in-sql'), '')
    return [isLive('one'), isLive('one'), isLive('other')]
  })
  expect(result).toEqual([false, false, false])
  expect([...reached].toSorted()).toEqual(['in-sql', 'one', 'other'])
  isLive('after')
  expect((await live.watch(async () => isLive('one'))).reached).toEqual(new Set(['one']))
  expect((await live.watch(async () => {})).reached).toEqual(new Set())
})

test('of two plain expressions the one that is live is evaluated', async () => {
  const either = () =>
    look.either(
      'one',
      () => 'usual',
      () => 'other',
    )
  expect(either()).toBe('usual')
  await live.turn('one')
  expect(either()).toBe('other')
})

test('while it is watched the usual value is given, and told is who would have had another one', async () => {
  const { result, reached } = await live.watch(async () => [
    look.either(
      'same',
      () => ({ a: [1], b: Buffer.from('b') }),
      () => ({ a: [1], b: Buffer.from('b') }),
    ),
    look.either(
      'turned-round',
      () => ({ a: 1, b: 2 }),
      () => ({ b: 2, a: 1 }),
    ),
    look.either(
      'other',
      () => 1,
      () => 2,
    ),
    look.either(
      'more-than-data',
      () => () => 1,
      () => () => 1,
    ),
    look.either(
      'throws',
      () => 1,
      () => JSON.parse('{'),
    ),
  ])
  expect(result).toMatchObject([{ a: [1] }, { a: 1, b: 2 }, 1, expect.any(Function), 1])
  expect([...reached].toSorted()).toEqual(['more-than-data', 'other', 'throws', 'turned-round'])
})

test('a fault matters to the scenarios that get to it, to those nobody has watched, and all where it comes round by itself', () => {
  const scenarios = ['a/one', 'a/other', 'a/new']
  const reach = { atRest: ['in-a-timer'], of: { 'a/one': ['here'], 'a/other': ['there'] } }
  const idsOf = (fault: string) => reaching(fault, scenarios, reach)
  expect(idsOf('here')).toEqual(['a/one', 'a/new'])
  expect(idsOf('in-a-timer')).toEqual(['a/one', 'a/other', 'a/new'])
})
