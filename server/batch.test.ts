import { expect, test } from 'vitest'
import { createBatcher, isolating, type RunBatch } from './batch.ts'

/** Runs batches only when told to, and remembers what was in them. */
function controlled(): { batches: number[][]; run: RunBatch<number, number>; finish: () => void } {
  const batches: number[][] = []
  const pending: (() => void)[] = []
  return {
    batches,
    async run(items) {
      batches.push([...items])
      await new Promise<void>((resolve) => pending.push(resolve))
      return items.map((item) => item * 10)
    },
    finish: () => pending.shift()!(),
  }
}

/** Turns of the event loop until a batch of that number has begun. */
async function begun(batches: readonly unknown[], count: number): Promise<void> {
  while (batches.length < count) await turn()
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('what arrives in one turn of the event loop leaves together, without a timer', async () => {
  const { batches, run, finish } = controlled()
  const batcher = createBatcher(run, { maxItems: 10 })
  const results = Promise.all([1, 2, 3].map(batcher.add))
  await turn()
  expect(batches).toEqual([[1, 2, 3]])
  finish()
  expect(await results).toEqual([10, 20, 30])
})

test('one batch is in flight, and what arrives meanwhile is the next', async () => {
  const { batches, run, finish } = controlled()
  const batcher = createBatcher(run, { maxItems: 10 })
  const first = batcher.add(1)
  await turn()
  const others = [2, 3].map(batcher.add)
  await turn()
  expect(batches).toEqual([[1]])
  finish()
  await first
  await begun(batches, 2)
  expect(batches).toEqual([[1], [2, 3]])
  finish()
  expect(await Promise.all(others)).toEqual([20, 30])
})

test('a batch carries at most maxItems, in the order of arrival', async () => {
  const { batches, run, finish } = controlled()
  const batcher = createBatcher(run, { maxItems: 2 })
  const results = Promise.all([1, 2, 3, 4, 5].map(batcher.add))
  for (let batch = 1; batch <= 3; batch++) {
    await begun(batches, batch)
    finish()
  }
  expect(await results).toEqual([10, 20, 30, 40, 50])
  expect(batches).toEqual([[1, 2], [3, 4], [5]])
})

test('an error among the results rejects its item alone', async () => {
  const batcher = createBatcher(
    async (items: readonly number[]) => items.map((item) => (item === 2 ? new Error('two') : item)),
    { maxItems: 10 },
  )
  expect(await Promise.allSettled([1, 2, 3].map(batcher.add))).toMatchObject([
    { value: 1 },
    { reason: { message: 'two' } },
    { value: 3 },
  ])
})

test('a batch that throws rejects its items, and the next one runs', async () => {
  let calls = 0
  const batcher = createBatcher(
    async (items: readonly number[]) => {
      if (++calls === 1) throw new Error('broken')
      return items
    },
    { maxItems: 2 },
  )
  const results = await Promise.allSettled([1, 2, 3].map(batcher.add))
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'fulfilled'])
})

test('more than maxWaiting items are refused', async () => {
  const { run, finish } = controlled()
  const batcher = createBatcher(run, { maxItems: 10, maxWaiting: 2 })
  const accepted = [1, 2].map(batcher.add)
  await expect(batcher.add(3)).rejects.toThrow('2 items wait already')
  await turn()
  finish()
  expect(await Promise.all(accepted)).toEqual([10, 20])
})

test('idle waits for what is under way', async () => {
  const { run, finish } = controlled()
  const batcher = createBatcher(run, { maxItems: 10 })
  await batcher.idle()
  const result = batcher.add(1)
  let isIdle = false
  const idle = batcher.idle().then(() => {
    isIdle = true
  })
  await turn()
  expect(isIdle).toBe(false)
  finish()
  await Promise.all([result, idle])
  expect(isIdle).toBe(true)
})

test('one item that cannot be taken fails alone, after the batch was tried in halves', async () => {
  const run = isolating(
    async (items: readonly number[]) => {
      if (items.includes(3)) throw new Error('three')
      return items
    },
    () => false,
  )
  const results = await run([1, 2, 3, 4, 5])
  expect(results.map((result) => (result instanceof Error ? result.message : result))).toEqual([
    1,
    2,
    'three',
    4,
    5,
  ])
})

test('an error that concerns all is not searched for in the items', async () => {
  let calls = 0
  const run = isolating(
    async () => {
      calls++
      throw new Error('away')
    },
    () => true,
  )
  await expect(run([1, 2, 3])).rejects.toThrow('away')
  expect(calls).toBe(1)
})
