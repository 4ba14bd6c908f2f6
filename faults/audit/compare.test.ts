import { expect, test } from 'vitest'
import type { Sighting } from '../load/sighting.ts'
import { compare, type Excuses } from './compare.ts'
import type { Recorded } from './records.ts'

const sighting: Sighting = {
  form: 'sound',
  manner: 'plain',
  habit: 'reads',
  streamed: true,
  payer: 'rich',
  nonce: '1.1.1',
  way: 'router-1',
  begunMs: 0,
  endedMs: 1,
  status: 200,
  generationId: 'gen-1',
  ending: 'whole',
  code: undefined,
  usage: { promptTokens: 3, completionTokens: 8, costMicros: 6 },
}
const record: Recorded = {
  id: 'gen-1',
  workspaceId: 'ws_1',
  status: 'ok',
  promptTokens: 3,
  completionTokens: 8,
  costMicros: 6,
}
const none: Excuses = { wasKilled: () => false, wasCutOff: () => false }

const comparing = (seen: readonly Partial<Sighting>[], kept: readonly Partial<Recorded>[], excuses = none) =>
  compare(
    seen.map((change) => ({ ...sighting, ...change })),
    new Map(kept.map((change) => [change.id ?? record.id, { ...record, ...change }])),
    excuses,
  )
const checksOf = (...args: Parameters<typeof comparing>) =>
  comparing(...args).violations.map(({ check }) => check)

test('what was seen and what is on record agree', () => {
  expect(comparing([{}], [{}])).toEqual({ violations: [], knownGaps: 0, lostBeyond: 0, unseenEnds: 0 })
})

test.each([
  ['an answer that is not on record', [{}], []],
  ['one that came whole and is on record as aborted', [{}], [{ status: 'aborted' }]],
  ['one that came whole without a usage', [{ usage: undefined }], [{}]],
  ['another cost than was told', [{}], [{ costMicros: 7 }]],
  ['other tokens than were told', [{}], [{ completionTokens: 9 }]],
  ['one id for two requests', [{}, {}], [{}]],
  ['an answer without an id', [{ generationId: undefined }], []],
  ['a record of nobody’s request', [{}], [{}, { id: 'gen-2' }]],
] as const)('%s is told', (_, seen, kept) => {
  expect(checksOf(seen, kept)).toEqual(['records'])
})

test('a record may be of a request that came to no answer, and of none that was refused', () => {
  const two = [{}, { id: 'gen-2' }]
  const silent = { generationId: undefined, status: 0, ending: 'cut' } as const
  expect(checksOf([{}, silent], two)).toEqual([])
  expect(checksOf([{}, { ...silent, form: 'stranger' }], two)).toEqual(['records'])
  expect(checksOf([{}, { ...silent, status: 402, ending: 'told' }], two)).toEqual(['records'])
})

test('a record that says ok of what its client was told failed is a false one, unless it is excused', () => {
  const told = { ending: 'told', code: 'internal' } as const
  expect(checksOf([told], [{}])).toEqual(['false-ok'])
  expect(comparing([told], [{}], { ...none, wasKilled: () => true })).toMatchObject({
    violations: [],
    knownGaps: 1,
  })
  expect(comparing([told], [{}], { ...none, wasCutOff: () => true })).toMatchObject({
    violations: [],
    lostBeyond: 1,
  })
})

test('an end that nobody could see is counted', () => {
  expect(comparing([{ ending: 'cut' }], [{}])).toMatchObject({ violations: [], unseenEnds: 1 })
  expect(comparing([{ ending: 'cut' }], [{ status: 'aborted' }])).toMatchObject({ unseenEnds: 0 })
})
