/** What is there, or will be. A promise costs as much as much of what is done for a request; what is there needs none. */
export type Awaitable<T> = T | Promise<T>

/** Goes on at once where nothing has to be waited for. */
export function followed<T, Result>(value: Awaitable<T>, next: (value: T) => Result): Awaitable<Result> {
  return value instanceof Promise ? value.then(next) : next(value)
}
