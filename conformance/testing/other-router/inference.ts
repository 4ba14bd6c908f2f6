import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject } from '#base/object.ts'
import { bodyOf, enter, leave, modelOf } from './admission.ts'
import { ask, toBackend } from './backend.ts'
import type { Key } from './books.ts'
import { eventOf } from './events.ts'
import type { Evidence } from './evidence.ts'
import { begin, type Ledger, settle } from './generation.ts'
import type { Model } from './models.ts'
import { backendFailed, Refusal } from './refusal.ts'
import { Pings, stream } from './stream.ts'
import { whole } from './whole.ts'

/** What inference works with. */
export interface Shop extends Ledger {
  readonly backendUrl: string
  readonly evidence: Evidence
  readonly pingMs: number
}

const does: Readonly<Record<string, Model['does']>> = {
  '/chat/completions': 'talk',
  '/completions': 'write',
  '/embeddings': 'embed',
}

/** Serves one of the POSTs of inference to a key; throws what the client is refused with. */
export async function infer(
  shop: Shop,
  key: Key,
  path: string,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  shop.limits.admit(key)
  const body = await bodyOf(incoming)
  const model = modelOf(key, body, does[path] ?? 'talk')
  await enter(key, model)
  const left = new AbortController()
  response.once('close', () => left.abort())
  const running = begin(key, model, shop.evidence)
  const isStream = body.stream === true && model.does !== 'embed'
  const head = () => {
    if (!response.headersSent) response.writeHead(200, streamHeaders(running.id))
  }
  const pings = isStream ? new Pings(response, shop.pingMs, head) : undefined
  try {
    const url = `${shop.backendUrl}${path}`
    const answer = await ask({ url, body: toBackend(body), signal: left.signal })
    if (pings) {
      head()
      const wantsUsage = isObject(body.stream_options) && body.stream_options.include_usage === true
      const promptBytes = Buffer.byteLength(JSON.stringify(body))
      await stream(answer, { response, running, ledger: shop, wantsUsage, promptBytes, pings })
    } else {
      const told = await whole(answer, running, shop)
      response.writeHead(200, {
        'Content-Type': 'application/json; charset=UTF-8',
        'X-Router-Generation-Id': running.id,
      })
      response.end(JSON.stringify(told, null, 2))
    }
  } catch (error) {
    if (!isStream || !response.headersSent) throw error
    // It has begun by its pings, so that it ends as a stream that fails.
    settle(shop, running, 'aborted', { prompt: 0, completion: 0 })
    const { body } = error instanceof Refusal ? error : backendFailed(false)
    response.end(`${eventOf(1, body)}${eventOf(2, '[DONE]')}`)
  } finally {
    pings?.stop()
    leave(key)
  }
}

function streamHeaders(id: string): Record<string, string> {
  return { 'Content-Type': 'Text/Event-Stream; charset=utf-8', 'X-Router-Generation-Id': id }
}
