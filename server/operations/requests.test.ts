import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import type { LogFields } from '../log.ts'
import { silent } from '../log.ts'
import type { EndedRequest } from './recorder.ts'
import { createRequests, type Trace } from './requests.ts'

/** A response as far as it is looked at; `state` is what Node would have made of it. */
function responseOf(state: Partial<ServerResponse>): ServerResponse {
  return Object.assign(new EventEmitter(), { shouldKeepAlive: true, ...state }) as unknown as ServerResponse
}

function world() {
  const lines: { message: string; fields: LogFields | undefined }[] = []
  const ended: EndedRequest[] = []
  const requests = createRequests({
    log: { ...silent, info: (message, fields) => lines.push({ message, fields }) },
    requestEnded: (request) => ended.push(request),
  })
  return { requests, lines, ended }
}

const trace = (): Trace => ({ requestId: 'req-1', method: 'POST', startedAtMs: performance.now() })

test('a request is active until its response is closed, and then leaves one line and one count', () => {
  const { requests, lines, ended } = world()
  const response = responseOf({ headersSent: true, statusCode: 200, writableFinished: true })
  const followed = trace()
  requests.follow(followed, response)
  expect(requests.active).toBe(1)
  followed.route = '/v1/chat/completions'
  followed.generationId = 'gen-1'
  followed.workspaceId = 'ws_1'
  followed.keyId = 'key_1'
  response.emit('close')
  expect(requests.active).toBe(0)
  const said = { method: 'POST', route: '/v1/chat/completions', status: 200, code: undefined }
  expect(lines).toEqual([
    {
      message: 'request finished',
      fields: {
        ...said,
        requestId: 'req-1',
        generationId: 'gen-1',
        workspaceId: 'ws_1',
        keyId: 'key_1',
        durationMs: expect.any(Number),
        isCut: undefined,
      },
    },
  ])
  expect(ended).toEqual([{ ...said, durationMs: expect.any(Number) }])
})

test('what its caller did not wait for is cut, and without a head there is no status', () => {
  const { requests, lines } = world()
  const cut = responseOf({ headersSent: true, statusCode: 200, writableFinished: false })
  const unanswered = responseOf({ headersSent: false, statusCode: 200, writableFinished: false })
  for (const response of [cut, unanswered]) {
    requests.follow(trace(), response)
    response.emit('close')
  }
  expect(lines.map(({ fields }) => [fields!.status, fields!.isCut])).toEqual([
    [200, true],
    [undefined, true],
  ])
})

test('once connections are to end, every answer is the last one of its connection', () => {
  const { requests } = world()
  const [running, later] = [responseOf({}), responseOf({})]
  requests.follow(trace(), running)
  requests.endConnections()
  requests.follow(trace(), later)
  expect([running.shouldKeepAlive, later.shouldKeepAlive]).toEqual([false, false])
})

test('a response that is closed twice is counted once', () => {
  const { requests, ended } = world()
  const response = responseOf({ headersSent: true, statusCode: 200, writableFinished: true })
  const once = vi.spyOn(response, 'once')
  requests.follow(trace(), response)
  response.emit('close')
  response.emit('close')
  expect(once).toHaveBeenCalledTimes(1)
  expect(ended).toHaveLength(1)
})
