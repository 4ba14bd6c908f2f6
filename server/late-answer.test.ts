import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answerLate } from './late-answer.ts'

const request = {} as IncomingMessage

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function world() {
  const answer = vi.fn()
  const loaded = Promise.withResolvers<typeof answer>()
  const load = vi.fn(() => loaded.promise)
  const response = (closed = false) => ({ closed }) as ServerResponse
  return { answer, load, response, end: () => loaded.resolve(answer), late: answerLate(load) }
}

test('the first requests have it loaded once, and are answered then', async () => {
  const { answer, load, response, end, late } = world()
  expect(load).not.toHaveBeenCalled()
  const responses = [response(), response()]
  for (const one of responses) late.answer(request, one)
  expect(answer).not.toHaveBeenCalled()
  end()
  await vi.waitFor(() => expect(answer.mock.calls).toEqual(responses.map((one) => [request, one])))
  expect(load).toHaveBeenCalledTimes(1)
  // From now on nothing is waited for.
  late.answer(request, response())
  expect(answer).toHaveBeenCalledTimes(3)
})

test('it is loaded a moment after the start though nobody asks, unless the router has stopped', () => {
  const [serving, stopped] = [world(), world()]
  stopped.late.stop()
  vi.advanceTimersByTime(60_000)
  expect(serving.load).toHaveBeenCalledTimes(1)
  expect(stopped.load).not.toHaveBeenCalled()
})

test('whoever has left meanwhile is not answered', async () => {
  const { answer, response, end, late } = world()
  const left = { ...response() }
  late.answer(request, left as ServerResponse)
  Object.assign(left, { closed: true })
  end()
  late.answer(request, response())
  await vi.waitFor(() => expect(answer).toHaveBeenCalledTimes(1))
  expect(answer.mock.calls[0]![1]).not.toBe(left)
})
