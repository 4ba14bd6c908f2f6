import { beforeEach, expect, test } from 'vitest'
import { latest } from './latest.ts'

let nowMs: number
let answers: (() => Promise<string>)[]
let asked: number
let read: () => Promise<string>

beforeEach(() => {
  nowMs = 0
  asked = 0
  const ask = (): Promise<string> => {
    asked++
    return answers.shift()!()
  }
  read = latest(ask, { waitMs: 5, oldestMs: 1_000, now: () => nowMs })
})

test('what is asked for is given, and its last value where that takes too long', async () => {
  const late = Promise.withResolvers<string>()
  answers = [async () => 'one', () => late.promise, async () => 'three']
  expect(await read()).toBe('one')
  expect(await read()).toBe('one')
  nowMs = 1_000
  expect(await read()).toBe('one')
  nowMs = 1_001
  await expect(read()).rejects.toThrow(/5 ms/)
  expect(asked).toBe(2)
  late.resolve('two')
  expect(await read()).toBe('two')
  expect(await read()).toBe('three')
})

test('where asking fails, the last value is none', async () => {
  answers = [async () => 'one', () => Promise.reject(new Error('away')), () => new Promise(() => {})]
  expect(await read()).toBe('one')
  await expect(read()).rejects.toThrow('away')
  await expect(read()).rejects.toThrow(/5 ms/)
})
