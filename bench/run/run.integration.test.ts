// @module-tag nginx

import { availableParallelism } from 'node:os'
import { expect, test } from 'vitest'
import { divideCores } from './cpu/cores.ts'
import { churn } from './measures/churn.ts'
import { requests } from './measures/requests.ts'
import { streams } from './measures/streams.ts'
import type { Figures } from './measures/turn.ts'
import { runPlan } from './run.ts'
import { direct } from './subjects/direct.ts'
import { bookkeeper, forwarder } from './subjects/forwarder.ts'

// Nothing is pinned: the other tests need this process's cores as well.
const cores = divideCores(1)
const wanted = requests.filter(({ id }) => id === 'requests-16')

test('a run of one second counts answers, and what the processes in between took for them', async () => {
  const turns: (Figures | Error)[] = []
  const results = await runPlan({
    subjects: [direct, forwarder],
    measures: wanted,
    others: [],
    cores,
    rounds: 2,
    heatMs: 200,
    warmMs: 200,
    turnMs: 1_000,
    signal: new AbortController().signal,
    say: () => {},
    onTurn: (_, __, ___, outcome) => turns.push(outcome),
  })
  expect(turns.filter((turn) => turn instanceof Error)).toEqual([])
  expect(turns).toHaveLength(4)
  const { forwarder: found } = results.measures[0]!.subjects
  for (const figure of [
    'perSecond',
    'p50Ms',
    'p99Ms',
    'cpuMicros',
    'cpuMicros.forwarder',
    'busy',
    'ownBusy',
  ]) {
    expect(found![figure]).toHaveLength(2)
    for (const value of found![figure]!) expect(value).toBeGreaterThan(0)
  }
  expect(found!.failed).toEqual([0, 0])
  // Nobody takes more than there is.
  expect(Math.max(...found!.busy!)).toBeLessThanOrEqual(1.1 * availableParallelism())
})

test('a stream is followed chunk by chunk, and a connection for each request counts as one', async () => {
  const results = await runPlan({
    subjects: [forwarder],
    measures: [...streams, ...churn].filter(({ id }) => ['chunks-paced', 'first-1', 'churn'].includes(id)),
    others: [],
    cores,
    rounds: 1,
    heatMs: 200,
    warmMs: 200,
    turnMs: 1_000,
    signal: new AbortController().signal,
    say: () => {},
    onTurn: () => {},
  })
  const [paced, first, churned] = results.measures.map(({ subjects }) => subjects.forwarder)
  // A hundred streams of fifty chunks a second, or as many as a busy machine lets through.
  expect(paced!.perSecond![0]).toBeLessThan(6_000)
  for (const figure of ['perSecond', 'cpuMicros', 'delayP50Ms', 'delayP99Ms'])
    expect(paced![figure]![0]).toBeGreaterThan(0)
  expect(first!.firstByteP50Ms![0]).toBeLessThanOrEqual(first!.p50Ms![0]!)
  expect(churned).toMatchObject({ failed: [0] })
  expect(churned!.perSecond![0]).toBeGreaterThan(0)
})

test('whoever keeps the least of books has its database counted apart, and loses nobody who leaves', async () => {
  const results = await runPlan({
    subjects: [bookkeeper],
    measures: wanted,
    others: [],
    cores,
    rounds: 1,
    // Ends with streams whose clients leave.
    heatMs: 1_000,
    warmMs: 200,
    turnMs: 1_000,
    signal: new AbortController().signal,
    say: () => {},
    onTurn: () => {},
  })
  const { bookkeeper: found } = results.measures[0]!.subjects
  expect(found).toMatchObject({ failed: [0] })
  expect(found!.perSecond![0]).toBeGreaterThan(0)
  expect(found!['cpuMicros.database']![0]).toBeGreaterThan(0)
  // Two for each request, shared by those that come meanwhile.
  expect(found!.statements![0]).toBeGreaterThan(0)
  expect(found!.statements![0]).toBeLessThanOrEqual(2.1)
})

test('a run that is ended stops what it started, and gives nothing', async () => {
  const run = runPlan({
    subjects: [forwarder],
    measures: wanted,
    others: [],
    cores,
    rounds: 1,
    heatMs: 200,
    warmMs: 1,
    turnMs: 1,
    signal: AbortSignal.abort(new Error('Enough.')),
    say: () => {},
    onTurn: () => {},
  })
  await expect(run).rejects.toThrow('Enough.')
})
