/** What is there, or will be: where it is there nearly always, a promise would be the most that a request spends on it. */
export type Awaitable<T> = T | Promise<T>

/** Goes on at once where nothing has to be waited for. */
export function followed<T, Result>(value: Awaitable<T>, next: (value: T) => Result): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}
