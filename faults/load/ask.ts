import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { mark } from '../backend/manner.ts'
import { MODEL } from '../world/configs.ts'
import { readEnd } from './read-end.ts'
import type { Sighting, Visit } from './sighting.ts'

/** Where a request goes and what it carries. */
export interface Sending {
  /** With `/v1`. */
  readonly baseUrl: string
  readonly way: string
  readonly apiKey: string
  readonly nonce: string
  /** Stands in the prompt, so that a trace of it is found. */
  readonly word: string
}

/** No client waits longer for anything. */
const PATIENCE_MS = 90_000
/** A client that leaves does so after a moment, one that stalls after a longer one. */
const LEAVES_AFTER_MS = 150
const STALLS_FOR_MS = 15_000
const SLOW_GAP_MS = 40

const STRANGE_KEY = `sk-tee-v1-${'s'.repeat(43)}`

/** Sends one request, once, and tells what was seen. Never throws. */
export async function ask(sending: Sending, visit: Visit): Promise<Sighting> {
  const { way, nonce } = sending
  const begunMs = performance.now()
  const leaving = new AbortController()
  const patience = setTimeout(() => leaving.abort(), PATIENCE_MS)
  const seen = { status: 0, generationId: undefined as string | undefined, text: '', isEnded: false }
  try {
    const sent = send(sending, visit, leaving.signal)
    if (visit.habit === 'leaves') setTimeout(() => leaving.abort(), LEAVES_AFTER_MS).unref()
    const [response] = (await once(sent, 'response', { signal: leaving.signal })) as [IncomingMessage]
    seen.status = response.statusCode ?? 0
    seen.generationId = response.headers['x-router-generation-id'] as string | undefined
    if (visit.habit === 'stalls') await sleep(STALLS_FOR_MS)
    for await (const piece of response) {
      seen.text += piece
      if (visit.habit === 'slow') await sleep(SLOW_GAP_MS)
    }
    seen.isEnded = response.complete
  } catch {
    // What was seen until then is what counts.
  } finally {
    clearTimeout(patience)
  }
  const end = readEnd({ ...seen, streamed: visit.streamed, hasLeft: leaving.signal.aborted })
  const { status, generationId } = seen
  return { ...visit, ...end, way, nonce, begunMs, endedMs: performance.now(), status, generationId }
}

function send({ baseUrl, apiKey, nonce, word }: Sending, visit: Visit, signal: AbortSignal): ClientRequest {
  const key = visit.form === 'stranger' ? STRANGE_KEY : apiKey
  const sent = request(`${baseUrl}/chat/completions`, {
    method: 'POST',
    agent: false,
    signal,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
  // Told by what waits for the answer.
  sent.on('error', () => undefined)
  const content = `${word} ${mark({ nonce, manner: visit.manner })}`
  const { streamed: stream } = visit
  const body = JSON.stringify({
    model: MODEL,
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
    messages: [{ role: 'user', content }],
  })
  sent.end(visit.form === 'nonsense' ? body.slice(0, -2) : body)
  return sent
}
