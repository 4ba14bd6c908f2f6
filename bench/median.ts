/** How often each is measured; the first time, which fills caches, does not count. */
const TIMES = 7

/** The median time that a task takes, in milliseconds. */
export async function medianOf(task: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  await task()
  for (let time = 0; time < TIMES; time++) {
    const begun = performance.now()
    await task()
    times.push(performance.now() - begun)
  }
  return times.toSorted((one, other) => one - other)[TIMES >> 1]!
}
