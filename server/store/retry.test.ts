import { expect, test } from 'vitest'
import { OutageError } from './outage.ts'
import { persist, sparingly, within } from './retry.ts'

const away = (): Error => Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
const never = new AbortController().signal

test('what comes in time is passed on, result or error', async () => {
  expect(await within(Promise.resolve(1), 1_000)).toBe(1)
  await expect(within(Promise.reject(new Error('no')), 1_000)).rejects.toThrow('no')
})

test('what does not come in time is an outage', async () => {
  await expect(within(new Promise(() => {}), 1)).rejects.toThrow(OutageError)
})

test('of an outage is told once, and of nothing else', async () => {
  let told = 0
  const tell = (): void => void told++
  await expect(within(Promise.reject(new Error('no')), 1_000, tell)).rejects.toThrow('no')
  expect(told).toBe(0)
  await expect(within(Promise.reject(new OutageError('away')), 1_000, tell)).rejects.toThrow('away')
  expect(told).toBe(1)
  const { promise, reject } = Promise.withResolvers<never>()
  await expect(within(promise, 1, tell)).rejects.toThrow(OutageError)
  expect(told).toBe(2)
  reject(new OutageError('away after all'))
  await promise.catch(() => {})
  expect(told).toBe(2)
})

test('what is asked again and again while it hangs takes no more connections than a few', async () => {
  const ask = sparingly(1)
  const hanging = Promise.withResolvers<number>()
  let asked = 0
  const question = () => {
    asked++
    return hanging.promise
  }
  for (let times = 0; times < 5; times++) await expect(ask(question)).rejects.toThrow(OutageError)
  expect(asked).toBe(3)
  hanging.resolve(1)
  await expect.poll(() => ask(question)).toBe(1)
})

test('an outage is told once and waited out', async () => {
  const told: unknown[] = []
  const options = { signal: never, retryMs: 1, onOutage: (error: unknown) => told.push(error) }
  const attempt = async (number: number): Promise<number> => {
    if (number < 4) throw away()
    return number
  }
  expect(await persist(attempt, options)).toBe(4)
  expect(told).toHaveLength(1)
})

test('any other error is thrown at once', async () => {
  let attempts = 0
  const attempt = async (): Promise<never> => {
    attempts++
    throw new Error('refused')
  }
  await expect(persist(attempt, { signal: never, retryMs: 1 })).rejects.toThrow('refused')
  expect(attempts).toBe(1)
})

test('persisting ends when it is told to', async () => {
  const stopping = new AbortController()
  const attempt = async (number: number): Promise<never> => {
    if (number === 3) stopping.abort()
    throw away()
  }
  await expect(persist(attempt, { signal: stopping.signal, retryMs: 1 })).rejects.toThrow(OutageError)
})
