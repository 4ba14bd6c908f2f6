/** Collects items while a batch is under way and hands them over as the next one. */
export interface Batcher<Item, Result> {
  /** Resolves with the item's own result, or rejects with its error, once the batch that carried it is done. */
  add(item: Item): Promise<Result>
  /** Items that wait or are under way. */
  readonly size: number
  /** Resolves when nothing is waiting or under way. */
  idle(): Promise<void>
}

/** Bounds of a batcher. */
export interface BatchLimits {
  /** Items in one batch; the others wait for the next. */
  readonly maxItems: number
  /** Items that may wait; `add` rejects beyond that. */
  readonly maxWaiting?: number
}

/** Handles one batch; one result per item in the same order, an `Error` among them rejects that item alone. */
export type RunBatch<Item, Result> = (items: readonly Item[]) => Promise<readonly (Result | Error)[]>

const DEFAULT_MAX_WAITING = 100_000

interface Entry<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/**
 * Natural group commit: one batch is in flight, whatever arrives meanwhile is the next one. An item that comes alone
 * leaves in the same turn of the event loop, without a timer, together with what else that turn brought.
 * What to do about a failed batch is up to `run`.
 */
export function createBatcher<Item, Result>(
  run: RunBatch<Item, Result>,
  { maxItems, maxWaiting = DEFAULT_MAX_WAITING }: BatchLimits,
): Batcher<Item, Result> {
  let waiting: Entry<Item, Result>[] = []
  let underWay = 0
  let isBusy = false
  let onIdle: (() => void)[] = []

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxItems)
      waiting = waiting.slice(maxItems)
      underWay = batch.length
      await runBatch(run, batch)
      underWay = 0
      // What the turn brings that told of the end of this batch leaves with the next one.
      await endOfTurn()
    }
    isBusy = false
    for (const resolve of onIdle) resolve()
    onIdle = []
  }

  return {
    add(item) {
      if (waiting.length >= maxWaiting) return Promise.reject(new Error(`${maxWaiting} items wait already`))
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject })
        if (isBusy) return
        isBusy = true
        setImmediate(work)
      })
    },
    get size() {
      return waiting.length + underWay
    },
    idle() {
      return isBusy ? new Promise((resolve) => onIdle.push(resolve)) : Promise.resolve()
    },
  }
}

/**
 * Makes one item that `run` cannot take fail alone: a failed batch is tried again in halves. An error for which
 * `concernsAll` holds, such as a lost connection, is not searched for in the items.
 */
export function isolating<Item, Result>(
  run: RunBatch<Item, Result>,
  concernsAll: (error: unknown) => boolean,
): RunBatch<Item, Result> {
  return async function runOrSplit(items): Promise<readonly (Result | Error)[]> {
    try {
      return await run(items)
    } catch (error) {
      if (concernsAll(error)) throw error
      if (items.length === 1) return [error instanceof Error ? error : new Error(String(error))]
      const middle = items.length >> 1
      return [...(await runOrSplit(items.slice(0, middle))), ...(await runOrSplit(items.slice(middle)))]
    }
  }
}

function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

async function runBatch<Item, Result>(
  run: RunBatch<Item, Result>,
  batch: readonly Entry<Item, Result>[],
): Promise<void> {
  try {
    const results = await run(batch.map((entry) => entry.item))
    if (results.length !== batch.length)
      throw new Error(`${results.length} results for ${batch.length} items`)
    for (const [index, { resolve, reject }] of batch.entries()) {
      const result = results[index] as Result | Error
      if (result instanceof Error) reject(result)
      else resolve(result)
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
