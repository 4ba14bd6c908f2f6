import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { limits } from '#contract/limits'
import { refusalOf } from '../admission/refusals.ts'
import { away } from '../cells/away.ts'
import type { ApiError } from '../errors.ts'
import { Overload, type Place } from './overload.ts'

const ADDRESS = '198.51.100.1'
/** As many as may wait at most (LIM-49). */
const CEILING = 6 * limits.leastJudged

let nowMs: number
let most: number
let overload: Overload

beforeEach(() => {
  nowMs = 0
  most = 100
  overload = new Overload({ most: () => most, now: () => nowMs })
})

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const mayWait = (cell?: string) => overload.usage.judged.find((queue) => queue.cell === cell)!.bound
const counts = () => {
  const { held, judged } = overload.usage
  return { held: held.count, judged: judged.reduce((sum, { count }) => sum + count, 0) }
}

/** Enters until it is refused. */
function flood(name: string, enough = 10_000): Place[] {
  const places: Place[] = []
  try {
    while (places.length < enough) places.push(overload.enter(ADDRESS, name))
  } catch (refusal) {
    if ((refusal as ApiError).code !== 'overloaded') throw refusal
  }
  return places
}

test('one that is one too many is told to come back', () => {
  flood('a')
  expect(() => overload.enter(ADDRESS, 'a')).toThrow(
    expect.objectContaining({
      code: 'overloaded',
      status: 503,
      headers: { 'Retry-After': '1', 'x-should-retry': 'true' },
    }),
  )
  expect(overload.usage.refused.held).toBe(2)
})

test('one alone has four fifths, and of two who flood each has as much', () => {
  const a = flood('a')
  expect(a).toHaveLength(80)
  for (let round = 0; round < 200; round++) {
    a.pop()?.leave()
    flood('b')
    a.push(...flood('a'))
  }
  const b = overload.usage.held.count - a.length
  expect(Math.abs(a.length - b)).toBeLessThan(3)
})

test('whoever asks for little finds room, however many others flood', () => {
  const others = fc.integer({ min: 1, max: 12 })
  fc.assert(
    fc.property(others, fc.integer({ min: 10, max: 20 }), (count, each) => {
      most = count * each
      overload = new Overload({ most: () => most, now: () => nowMs })
      const places: Place[] = []
      const floodAll = (): void => {
        for (let index = 0; index < count; index++) places.push(...flood(`flood ${index}`))
      }
      // Whoever comes first takes the most; with each answer that ends the others catch up.
      for (let ended = 0; ended < 3 * most; ended++) {
        floodAll()
        places.shift()!.leave()
      }
      floodAll()
      expect(overload.usage.held.count).toBeLessThan(most)
      overload.enter(ADDRESS, 'little').leave()
    }),
    { numRuns: 20 },
  )
})

test('however many strangers there are, half is left for those whose key is known', () => {
  const addresses = Array.from({ length: 1_000 }, (_, index) => `198.51.${index >> 8}.${index & 255}`)
  const places: Place[] = []
  for (const address of addresses) {
    if (overload.refuses(address, undefined) === undefined) places.push(overload.enter(address, undefined))
  }
  expect(places).toHaveLength(50)
  expect(overload.isTight).toBe(true)
  expect(flood('a')).toHaveLength(40)
  places.pop()!.leave()
  expect(overload.refuses(ADDRESS, undefined)).toBeUndefined()
})

test('one stranger leaves room for others of whom nobody has heard', () => {
  const places: Place[] = []
  while (overload.refuses(ADDRESS, undefined) === undefined) places.push(overload.enter(ADDRESS, undefined))
  expect(places).toHaveLength(40)
  expect(overload.isTight).toBe(true)
  overload.enter('203.0.113.1', undefined).leave()
})

test('strangers who wait to be judged leave half of the queue to those whose key is known', async () => {
  await congest()
  const bound = mayWait()
  const waiting: Judged[] = []
  for (let index = 0; index < 2 * bound; index++) {
    const address = `198.51.${index >> 8}.${index & 255}`
    if (overload.refuses(address, undefined) === undefined)
      waiting.push(judge(overload.enter(address, undefined)))
  }
  expect(waiting.length).toBeLessThanOrEqual(bound / 2)
  overload.enter(ADDRESS, 'known').leave()
  for (const { answer } of waiting) answer()
  await Promise.all(waiting.map(({ done }) => done))
})

test('places that were left are there for others, and nobody who has left is remembered', () => {
  const places = flood('a')
  for (const place of places) place.leave()
  expect(overload.usage.held.count).toBe(0)
  expect(flood('b')).toHaveLength(80)
})

test('a bound that was lowered ends nothing, and lets nobody in until it is kept', () => {
  const places = flood('a')
  most = 10
  expect(() => overload.enter(ADDRESS, 'b')).toThrow(expect.objectContaining({ code: 'overloaded' }))
  for (const place of places) place.leave()
  expect(flood('b')).toHaveLength(8)
})

/** A request of which everything is asked, and that nobody answers yet. */
interface Judged {
  readonly done: Promise<void>
  answer(): void
}

function judge(place: Place): Judged {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = place.judging(() => promise).finally(place.leave)
  return { done, answer: resolve }
}

/** Has requests judged slowly, ten at a time, until few may wait. */
async function congest(): Promise<void> {
  most = 8_192
  for (const tookMs of [1, 300]) {
    for (let index = 0; index < 50; index++) {
      const ten = flood('a', 10).map(judge)
      nowMs += tookMs
      for (const { answer } of ten) answer()
      await Promise.all(ten.map(({ done }) => done))
    }
  }
  expect(mayWait()).toBe(limits.leastJudged)
}

test('where judging takes too long, a workspace that floods is refused and another one is not', async () => {
  await congest()
  const waiting = flood('a').map(judge)
  expect(waiting.length).toBeLessThanOrEqual(limits.leastJudged)
  expect(overload.usage.refused).toMatchObject({ held: 0, judged: 1 })
  await turn()
  expect(flood('a')).toHaveLength(0)
  const other = judge(overload.enter(ADDRESS, 'b'))
  for (const { answer } of [...waiting, other]) answer()
  await Promise.all([...waiting, other].map(({ done }) => done))
  expect(counts()).toEqual({ held: 0, judged: 0 })
})

async function end(judged: readonly Judged[]): Promise<void> {
  for (const { answer } of judged) answer()
  await Promise.all(judged.map(({ done }) => done))
  await turn()
}

test('of a queue one has two thirds alone, and a third while another one waits or was accepted lately (LIM-46)', async () => {
  await congest()
  const bound = mayWait()
  const waiting = flood('a').map(judge)
  expect(waiting).toHaveLength(Math.ceil((2 / 3) * bound))
  await turn()
  // Who comes next finds room: a third of what is left.
  const batch = flood('b').map(judge)
  expect(batch).toHaveLength(Math.ceil((bound - waiting.length) / 3))
  await end(waiting)
  const beside = flood('a').map(judge)
  expect(beside).toHaveLength(Math.ceil((bound - batch.length) / 3))
  await end([...batch, ...beside])
  nowMs += 9_999
  const after = flood('a').map(judge)
  expect(after).toHaveLength(Math.ceil(mayWait() / 3))
  await end(after)
  nowMs += 1
  const alone = flood('a').map(judge)
  expect(alone).toHaveLength(Math.ceil((2 / 3) * mayWait()))
  await end(alone)
})

test('neither a stranger nor a request that is refused has anybody share', async () => {
  await congest()
  await end([judge(overload.enter(ADDRESS, undefined))])
  const refused = overload.enter(ADDRESS, 'b')
  const judged = refused.judging(() => Promise.reject(refusalOf('insufficient_credits')))
  await expect(judged).rejects.toMatchObject({ code: 'insufficient_credits' })
  refused.leave()
  await turn()
  const waiting = flood('a').map(judge)
  expect(waiting).toHaveLength(Math.ceil((2 / 3) * mayWait()))
  await end(waiting)
})

test('a burst has a bound before anybody knows of a queue, and none where as many may wait as be in hand (LIM-49)', async () => {
  most = 8_192
  expect(overload.isTight).toBe(false)
  const waiting = flood('a').map(judge)
  expect(waiting).toHaveLength((2 / 3) * CEILING)
  expect(overload.isTight).toBe(true)
  expect(overload.usage.refused).toMatchObject({ held: 0, judged: 1 })
  for (const { answer } of waiting) answer()
  await Promise.all(waiting.map(({ done }) => done))
  overload = new Overload({ most: () => most, least: () => most, now: () => nowMs })
  expect(flood('a', 4_000).map(judge)).toHaveLength(4_000)
})

test('a queue before a slow cell is bounded however quick another one is, and bounds nobody there (LIM-49)', async () => {
  most = 8_192
  const ask = (cell: string, count: number) => {
    const places = Array.from({ length: count }, (_, index) =>
      overload.enter(ADDRESS, `${cell} ${index}`, cell),
    )
    return places.map(judge)
  }
  const answerAll = async (judged: readonly Judged[]) => {
    for (const { answer } of judged) answer()
    await Promise.all(judged.map(({ done }) => done))
  }
  for (const tookMs of [2, 300]) {
    for (let round = 0; round < 50; round++) {
      const slow = ask('slow', 10)
      for (let passedMs = 0; passedMs < tookMs; passedMs += 2) {
        const quick = ask('quick', 1)
        nowMs += 2
        await answerAll(quick)
      }
      await answerAll(slow)
    }
  }
  expect(mayWait('slow')).toBe(limits.leastJudged)
  expect(mayWait('quick')).toBe(CEILING)
  const enterAll = (cell: string): number => {
    for (let count = 0; ; count++) {
      if (overload.refuses(ADDRESS, `${cell} one`, cell) !== undefined) return count
      judge(overload.enter(ADDRESS, `${cell} one`, cell))
    }
  }
  expect(enterAll('slow')).toBeLessThan(limits.leastJudged)
  expect(enterAll('quick')).toBe(CEILING / 3)
})

test('requests that a cell keeps waiting which is away are no queue that others stand in (OPS-25)', async () => {
  most = 8_192
  const refused: string[] = []
  const ask = (name: string, asked: () => Promise<void>) => {
    const place = overload.enter(ADDRESS, name)
    return place
      .judging(asked)
      .catch(() => refused.push(name))
      .finally(place.leave)
  }
  await Promise.all(Array.from({ length: 10 }, () => ask('at home', async () => {})))
  for (let round = 0; round < 4; round++) {
    nowMs += 300
    const { promise, reject } = Promise.withResolvers<void>()
    const waiting = Array.from({ length: 300 }, (_, index) => ask(`of the cell ${index}`, () => promise))
    await turn()
    await ask('at home', async () => {})
    nowMs += limits.databaseOutageMs
    reject(away())
    await Promise.all(waiting)
  }
  expect(refused).toHaveLength(4 * 300)
})

test('what unknown keys are told in no time is not what others are measured by, who wait for the disk', async () => {
  most = 8_192
  /** Ten at a time, each of which takes so long. */
  const judgeTen = async (tookMs: number, answer: (judged: PromiseWithResolvers<void>) => void) => {
    const judged = Promise.withResolvers<void>()
    const ten = Array.from({ length: 10 }, (_, index) => overload.enter(ADDRESS, `a ${index}`))
    const done = ten.map((place) => place.judging(() => judged.promise).finally(place.leave))
    nowMs += tookMs
    answer(judged)
    await Promise.allSettled(done)
  }
  for (let round = 0; round < 3; round++) {
    for (let count = 0; count < 60; count++)
      await judgeTen(1, ({ reject }) => reject(refusalOf('invalid_api_key')))
    for (let count = 0; count < 200; count++) await judgeTen(25, ({ resolve }) => resolve())
    expect(mayWait()).toBe(CEILING)
  }
  // Of such a queue they tell like everybody else.
  for (let count = 0; count < 10; count++)
    await judgeTen(300, ({ reject }) => reject(refusalOf('invalid_api_key')))
  expect(mayWait()).toBeLessThan(most)
})

test('unknown keys that a directory turns down in no time hide no queue that others stand in', async () => {
  most = 8_192
  const judgeAll = async (name: string, count: number, tookMs: number, error?: Error) => {
    const judged = Promise.withResolvers<void>()
    const places = Array.from({ length: count }, (_, index) => overload.enter(ADDRESS, `${name} ${index}`))
    const done = places.map((place) => place.judging(() => judged.promise).finally(place.leave))
    nowMs += tookMs
    if (error) judged.reject(error)
    else judged.resolve()
    await Promise.allSettled(done)
  }
  const unknown = refusalOf('invalid_api_key')
  for (let count = 0; count < 60; count++) await judgeAll('a', 10, 5)
  for (let count = 0; count < 10; count++) {
    for (let time = 0; time < 40; time++) await judgeAll('stranger', 10, 1, unknown)
    await judgeAll('a', 10, 500)
  }
  expect(mayWait()).toBeLessThan(most)
})

test('requests of one turn count before any of them is judged', async () => {
  await congest()
  const places = flood('a')
  expect(places.length).toBeLessThanOrEqual(limits.leastJudged)
  for (const place of places) place.leave()
})

test('those whose bodies are still on their way keep nobody from being judged', async () => {
  await congest()
  const slow = flood('a')
  await turn()
  expect(flood('a', 5)).toHaveLength(5)
  expect(overload.usage.held.count).toBe(slow.length + 5)
})

test('answers that run count among all, and not among those that wait to be judged', async () => {
  await congest()
  for (let count = 0; count < 1_000; count++) {
    const place = overload.enter(ADDRESS, 'streams')
    await place.judging(async () => {})
  }
  expect(counts()).toEqual({ held: 1_000, judged: 0 })
})

test('answers count among those that wait while they are settled', async () => {
  const place = overload.enter(ADDRESS, 'a')
  const { promise, resolve } = Promise.withResolvers<string>()
  const settled = place.settling(() => promise)
  expect(counts()).toEqual({ held: 1, judged: 1 })
  resolve('done')
  expect(await settled).toBe('done')
  expect(counts()).toEqual({ held: 1, judged: 0 })
})

test('what judging or settling throws is thrown, and counts no more', async () => {
  const place = overload.enter(ADDRESS, 'a')
  await expect(place.judging(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(place.asking(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(place.settling(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(counts()).toEqual({ held: 1, judged: 0 })
})
