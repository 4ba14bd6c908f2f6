import type { Answer } from './answer.ts'
import type { Behaviour } from './behaviour.ts'
import { composeBody, composeEmbeddings } from './body.ts'
import { composeEvents, type Naming } from './chunks.ts'
import { applyFault, applyFaultToBody, type Ending } from './faults.ts'
import { frameEvents } from './frames.ts'
import type { Outlet } from './outlet.ts'
import type { ModelRequest } from './request.ts'

/** What one answer is made of. */
export interface Reply {
  readonly request: ModelRequest
  readonly answer: Answer
  readonly behaviour: Behaviour
  readonly naming: Naming
}

/** Sends the answer as a stream of events; `onPieces` hears of each delta that has left. */
export async function sendStream(
  outlet: Outlet,
  reply: Reply,
  onPieces: (count: number) => void,
): Promise<void> {
  const { request, answer, behaviour, naming } = reply
  const { fault, wire = {}, betweenChunksMs } = behaviour
  const { events, ending, half } = applyFault(
    composeEvents(request, answer, behaviour, naming),
    fault,
    errorOf(behaviour),
  )
  writeHead(
    outlet,
    200,
    { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    behaviour,
  )
  await outlet.pause(behaviour.beforeFirstChunkMs)
  let said = 0
  for (const { bytes, pieces, apartMs } of frameEvents(events, wire)) {
    if (pieces > 0 && said > 0) await outlet.pause(betweenChunksMs)
    await outlet.pause(apartMs)
    await outlet.write(bytes)
    said += pieces
    if (pieces > 0) onPieces(pieces)
  }
  for (const { bytes } of frameEvents(half === undefined ? [] : [half], wire)) {
    await outlet.write(bytes.subarray(0, bytes.length / 2))
  }
  await finish(outlet, ending, behaviour)
}

/** Sends the answer as one JSON body. */
export async function sendJson(outlet: Outlet, { request, answer, behaviour, naming }: Reply): Promise<void> {
  const whole =
    request.operation === 'embeddings'
      ? composeEmbeddings(request, behaviour)
      : composeBody(request, answer, behaviour, naming)
  const { body, length, ending } = applyFaultToBody(whole, behaviour.fault, errorOf(behaviour))
  const announced = length === undefined ? {} : { 'content-length': String(length) }
  await outlet.pause(behaviour.beforeFirstChunkMs)
  writeHead(outlet, 200, { 'content-type': 'application/json', ...announced }, behaviour)
  await outlet.write(Buffer.from(body))
  await finish(outlet, ending, behaviour)
}

/** Sends a body that the script, or a refusal, has written out. One that stalls says all of it, and never that it is all. */
export async function sendText(
  outlet: Outlet,
  status: number,
  body: Buffer | string,
  behaviour: Behaviour,
): Promise<void> {
  const ending = behaviour.fault?.kind === 'stall' ? 'stall' : 'end'
  const announced = ending === 'stall' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  writeHead(outlet, status, { 'content-type': 'application/json', ...announced }, behaviour)
  await outlet.pause(behaviour.beforeFirstChunkMs)
  if (body.length > 0) await outlet.write(Buffer.from(body))
  await finish(outlet, ending, behaviour)
}

/** The error object of a behaviour, in OpenAI's shape when the script gives none. */
export function errorOf({ error, status = 500 }: Behaviour): unknown {
  return (
    error ?? {
      error: { message: 'The scripted backend fails on purpose.', type: 'server_error', code: status },
    }
  )
}

function writeHead(
  outlet: Outlet,
  status: number,
  headers: Record<string, string>,
  behaviour: Behaviour,
): void {
  const own = Object.entries(behaviour.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  const { response } = outlet
  for (const interim of behaviour.interim ?? []) {
    response.socket?.write(`HTTP/1.1 ${interim} Interim\r\n\r\n`)
  }
  if (behaviour.hints) response.writeEarlyHints({ link: '</a>; rel=preload' })
  const all = { ...headers, ...Object.fromEntries(own) }
  if (behaviour.untilClose) {
    delete all['content-length']
    response.useChunkedEncodingByDefault = false
  }
  response.writeHead(status, all)
  response.flushHeaders()
}

async function finish(outlet: Outlet, ending: Ending, { closeAfter }: Behaviour): Promise<void> {
  if (ending === 'stall') await outlet.stall()
  if (ending === 'cut' || ending === 'reset') return outlet.destroy(ending === 'reset')
  const { socket } = outlet.response
  await new Promise<void>((resolve) => outlet.response.end(resolve))
  if (closeAfter) socket?.destroy()
}
