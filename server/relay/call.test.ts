import type { Dispatcher } from 'undici'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Backend } from './backend.ts'
import { Call } from './call.ts'
import { createHealth } from './health.ts'
import { createSelection } from './selection.ts'
import { createTally } from './tally.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A call to backends that do nothing by themselves; what was done to each is kept. */
function callTo(count: number) {
  const log: string[] = []
  const handlers: Required<Dispatcher.DispatchHandler>[] = []
  const controllers: Dispatcher.DispatchController[] = []
  const backends = Array.from({ length: count }, (_, index): Backend => {
    const controller = {
      pause: () => log.push(`pause ${index}`),
      resume: () => log.push(`resume ${index}`),
      abort: (reason: Error) => {
        log.push(`abort ${index}`)
        handlers[index]!.onResponseError(controller, reason)
      },
    } as unknown as Dispatcher.DispatchController
    controllers.push(controller)
    return {
      name: '0',
      config: { url: 'http://127.0.0.1:1/v1', model: 'tiny', usage: 'final' },
      health: createHealth(() => 0),
      running: 0,
      tally: createTally(),
      dispatch: (_request, handler) => {
        log.push(`dispatch ${index}`)
        handlers[index] = handler as Required<Dispatcher.DispatchHandler>
      },
    }
  })
  const request = { path: '/chat/completions', body: Buffer.from('{}'), accept: 'text/event-stream' } as const
  const call = new Call(createSelection(backends), () => request)
  call.start({
    onSent: () => {},
    onHead: ({ status }) => log.push(`head ${status}`),
    onData: (bytes) => log.push(`data ${bytes}`),
    onEnd: () => log.push('end'),
    onFailure: ({ message }) => log.push(`failure ${message}`),
  })
  /** Lets the backend do its part: the connection is there, the answer begins. */
  const answer = (index: number) => {
    handlers[index]!.onRequestStart(controllers[index]!, null)
    handlers[index]!.onResponseStart(controllers[index]!, 200, {})
  }
  return { call, log, handlers, controllers, backends, answer }
}

test('a call tells head, data and end, and is no longer counted as running', () => {
  const { log, handlers, controllers, backends, answer } = callTo(1)
  expect(backends[0]!.running).toBe(1)
  answer(0)
  handlers[0]!.onResponseData(controllers[0]!, Buffer.from('x'))
  handlers[0]!.onResponseEnd(controllers[0]!, {})
  expect(log).toEqual(['dispatch 0', 'head 200', 'data x', 'end'])
  expect(backends[0]!.running).toBe(0)
})

test('informational answers are passed over', () => {
  const { log, handlers, controllers } = callTo(1)
  handlers[0]!.onRequestStart(controllers[0]!, null)
  handlers[0]!.onResponseStart(controllers[0]!, 103, {})
  expect(log).toEqual(['dispatch 0'])
})

test('a connection that fails goes on to a backend not tried yet; one that was written to does not', () => {
  const { log, handlers, controllers, backends, call } = callTo(3)
  handlers[0]!.onResponseError(undefined as never, new Error('refused'))
  expect(call.isSent).toBe(false)
  const second = log.includes('dispatch 1') ? 1 : 2
  handlers[second]!.onRequestStart(controllers[second]!, null)
  expect(call.isSent).toBe(true)
  handlers[second]!.onResponseError(controllers[second]!, new Error('lost'))
  expect(log).toEqual(['dispatch 0', `dispatch ${second}`, 'failure lost'])
  expect(backends.map(({ running }) => running)).toEqual([0, 0, 0])
})

test('a request that is about to be written a second time is aborted instead', () => {
  const { log, handlers, controllers } = callTo(1)
  handlers[0]!.onRequestStart(controllers[0]!, null)
  handlers[0]!.onRequestStart(controllers[0]!, null)
  expect(log).toEqual(['dispatch 0', 'abort 0', 'failure The relay does not send this request.'])
})

test('a call aborted while its connection is being made is never written', () => {
  const { call, log, handlers, controllers, backends } = callTo(1)
  call.abort()
  handlers[0]!.onRequestStart(controllers[0]!, null)
  expect(log).toEqual(['dispatch 0', 'abort 0'])
  expect({ isSent: call.isSent, running: backends[0]!.running }).toEqual({ isSent: false, running: 0 })
})

test('an aborted call closes its socket and tells nothing more', () => {
  const { call, log, handlers, controllers, answer } = callTo(1)
  answer(0)
  call.abort()
  handlers[0]!.onResponseData(controllers[0]!, Buffer.from('x'))
  expect(log).toEqual(['dispatch 0', 'head 200', 'abort 0'])
})

test('a finished call reads on, even if it was paused, and throws away what comes', () => {
  const { call, log, handlers, controllers, answer } = callTo(1)
  answer(0)
  call.pause()
  call.finish()
  handlers[0]!.onResponseData(controllers[0]!, Buffer.from('x'))
  handlers[0]!.onResponseEnd(controllers[0]!, {})
  vi.advanceTimersByTime(10_000)
  expect(log).toEqual(['dispatch 0', 'head 200', 'pause 0', 'resume 0'])
  expect(vi.getTimerCount()).toBe(0)
})

test('a finished call whose answer does not end is closed after 64 KiB or a second', () => {
  const long = callTo(1)
  long.answer(0)
  long.call.finish()
  long.handlers[0]!.onResponseData(long.controllers[0]!, Buffer.alloc(65_536))
  expect(long.log).not.toContain('abort 0')
  long.handlers[0]!.onResponseData(long.controllers[0]!, Buffer.alloc(1))
  expect(long.log).toContain('abort 0')
  const silent = callTo(1)
  silent.answer(0)
  silent.call.finish()
  vi.advanceTimersByTime(999)
  expect(silent.log).not.toContain('abort 0')
  vi.advanceTimersByTime(1)
  expect(silent.log).toContain('abort 0')
})
