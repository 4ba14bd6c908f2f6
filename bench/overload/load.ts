import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A load, in a process of its own. */
export interface LoadOrder {
  readonly port: number
  readonly apiKey: string
  /** Requests a second, whatever becomes of those before; 0: one after the other on each socket. */
  readonly perSecond: number
  /** Sockets at most; what is due when all are busy is not sent. */
  readonly sockets: number
  readonly forMs: number
}

/** What became of it; times in milliseconds, each sorted. */
export interface LoadReport {
  readonly acceptedMs: readonly number[]
  readonly refusedMs: readonly number[]
  /** Answered otherwise than by 200 and 503. */
  readonly otherwise: number
  /** Connections that ended before their answer. */
  readonly cutOff: number
  /** Without an answer when all was over. */
  readonly unanswered: number
  /** Due while no socket was free. */
  readonly unsent: number
  readonly ms: number
}

const TICK_MS = 2
/** By then a router with nothing else to do has taken every connection (ours). */
const TAKEN_MS = 1_000
const BODY = JSON.stringify({ model: 'demo/tiny-chat', messages: [{ role: 'user', content: 'Hello' }] })
const HEAD_END = Buffer.from('\r\n\r\n')

/** How long what was sent last may take (ours). */
const END_MS = 20_000

process.on('message', async (order: LoadOrder) => {
  process.send?.(await load(order))
})
process.once('disconnect', () => process.exit())

async function load({ port, apiKey, perSecond, sockets, forMs }: LoadOrder): Promise<LoadReport> {
  const bytes = Buffer.from(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  )
  const acceptedMs: number[] = []
  const refusedMs: number[] = []
  const open = new Set<Socket>()
  const free: Socket[] = []
  let otherwise = 0
  let cutOff = 0
  let unsent = 0
  let running = 0
  let isOver = false
  const sent = new Map<Socket, number>()

  async function dial(): Promise<void> {
    const socket = connect(port, '127.0.0.1').setNoDelay()
    open.add(socket)
    let rest: Buffer = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (piece: Buffer) => {
      rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      const status = statusOf(rest)
      if (status === undefined) return
      rest = Buffer.alloc(0)
      const tookMs = performance.now() - sent.get(socket)!
      sent.delete(socket)
      running--
      if (status === 200) acceptedMs.push(tookMs)
      else if (status === 503) refusedMs.push(tookMs)
      else otherwise++
      use(socket)
    })
    socket.once('close', () => {
      open.delete(socket)
      if (!sent.delete(socket)) return
      running--
      cutOff++
    })
    await once(socket, 'connect')
    free.push(socket)
  }

  function use(socket: Socket): void {
    if (perSecond === 0 && !isOver) send(socket)
    else free.push(socket)
  }

  function send(socket: Socket): void {
    running++
    sent.set(socket, performance.now())
    socket.write(bytes)
  }

  // All are there before the first is needed: it is not measured how fast sockets are opened. A router takes a few at each
  // turn of its loop, long after the system has told the other side that it is connected.
  for (let count = 0; count < sockets; count++) await dial()
  await sleep(TAKEN_MS)
  let due = 0
  const begunAt = performance.now()
  if (perSecond === 0) for (const socket of free.splice(0)) send(socket)
  while (performance.now() < begunAt + forMs) {
    await sleep(TICK_MS)
    const owed = ((performance.now() - begunAt) * perSecond) / 1_000
    for (; due < owed; due++) {
      // The one that rests longest: one that was never used is closed after a while (REQ-71).
      const socket = free.shift()
      if (socket === undefined || socket.destroyed) unsent++
      else send(socket)
    }
  }
  isOver = true
  const ms = performance.now() - begunAt
  while (running > 0 && performance.now() < begunAt + forMs + END_MS) {
    await sleep(TICK_MS)
  }
  const unanswered = running
  for (const socket of open) socket.destroy()
  const sorted = (times: number[]) => times.sort((a, b) => a - b)
  return {
    acceptedMs: sorted(acceptedMs),
    refusedMs: sorted(refusedMs),
    otherwise,
    cutOff,
    unanswered,
    unsent,
    ms,
  }
}

/** The status of a whole answer; undefined while some of it is missing. */
function statusOf(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(HEAD_END)
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(head) ?? []
  const isWhole =
    length === undefined
      ? bytes.toString('latin1', bytes.length - 5) === '0\r\n\r\n'
      : bytes.length >= end + HEAD_END.length + Number(length)
  return isWhole ? Number(head.slice(9, 12)) : undefined
}
