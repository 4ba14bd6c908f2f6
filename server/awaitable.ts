/** What is there, or will be. It is for what is there nearly always, and costs less than a promise of it. */
export type Awaitable<T> = T | Promise<T>

/** Goes on at once where nothing has to be waited for. */
export function followed<T, Result>(value: Awaitable<T>, next: (value: T) => Result): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}
