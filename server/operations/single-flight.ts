/** Calls that come while one is under way share its result: no question is asked twice at a time. */
export function singleFlight<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let underWay: Promise<Value> | undefined
  return () => {
    underWay ??= ask().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}
