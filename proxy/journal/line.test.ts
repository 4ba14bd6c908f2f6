import { expect, test } from 'vitest'
import { digestOf } from '#attestation'
import { GENESIS, type Link, writeLine } from './line.ts'
import { generation } from './testing.ts'

const TIME = new Date('2026-11-28T01:02:03.004Z')

test.each<[string, Link | undefined]>([
  ['the first line', undefined],
  ['a later one', { seq: 41, hash: digestOf('before') }],
])('%s is the JSON of its place, its time and its entry, in this order', (_, before) => {
  for (const entry of [GENESIS, { ...generation(9), model: 'a "quoted" \u2028 name' }]) {
    const { text, link } = writeLine(entry, TIME, before)
    const [seq, prev] = [(before?.seq ?? 0) + 1, before?.hash ?? null]
    expect(text).toBe(JSON.stringify({ seq, prev, time: TIME.toISOString(), ...entry }))
    expect(link).toEqual({ seq, hash: digestOf(text) })
  }
})
