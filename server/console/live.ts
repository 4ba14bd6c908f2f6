import type { ServerResponse } from 'node:http'
import { limits } from '#contract/limits'
import { ApiError } from '../errors.ts'
import type { Feed } from '../history/feed.ts'
import { toBalanceBody } from './credits.ts'
import type { RawConsoleHandler } from './handlers.ts'
import { toRowBody } from './requests.ts'

/** A reader that has so much waiting for it reads no more, and is hung up on; it may come again (ours). */
const MOST_WAITING_BYTES = 1_048_576

/** How often a stream that has nothing to tell says so, for whatever stands in between (ours). */
const SILENCE_MS = 15_000

/** `GET /requests/live`: rows and balance as they change, until the session ends (CONS-49). */
export function followingRequests(feed: Feed): RawConsoleHandler<'followRequests'> {
  const streams = new Map<string, number>()
  return async ({ person: { accountId, workspaceId, sessionId }, response, headers }) => {
    // Left before it was known who asks: no event will tell of it any more.
    if (response.destroyed) return
    const open = streams.get(accountId) ?? 0
    if (open >= limits.maxLiveStreams) {
      throw new ApiError('overloaded', `An account has at most ${limits.maxLiveStreams} event streams.`)
    }
    streams.set(accountId, open + 1)
    response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' })
    response.flushHeaders()
    const stop = feed.watch(
      { workspaceId, sessionId },
      {
        balance: (balance) => send(response, 'balance', JSON.stringify(toBalanceBody(balance))),
        request: (row) => send(response, 'request', JSON.stringify(toRowBody(row))),
        away: () => send(response, 'away', 'overloaded'),
        end(isSessionOver) {
          if (isSessionOver) send(response, 'end', 'session_required')
          response.end()
        },
      },
    )
    const silence = setInterval(() => write(response, ':\n\n'), SILENCE_MS)
    response.once('close', () => {
      clearInterval(silence)
      stop()
      const left = streams.get(accountId)! - 1
      if (left > 0) streams.set(accountId, left)
      else streams.delete(accountId)
    })
  }
}

function send(response: ServerResponse, event: string, data: string): void {
  write(response, `event: ${event}\ndata: ${data}\n\n`)
}

function write(response: ServerResponse, text: string): void {
  if (response.destroyed || response.writableEnded) return
  if (response.writableLength > MOST_WAITING_BYTES) response.destroy()
  else response.write(text)
}
