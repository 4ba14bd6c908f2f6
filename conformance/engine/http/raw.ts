import { connect as connectTcp, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'

/** What came back to bytes that need not be HTTP. */
export interface RawReply {
  readonly text: string
  /** Of the first answer; 0 when there was none. */
  readonly status: number
  /** Whether the other side closed the connection. */
  readonly isClosed: boolean
}

/** For how long silence is heard, in milliseconds: before the first byte of an answer, and after one. */
export interface RawPatience {
  readonly firstByteMs: number
  readonly quietMs: number
}

/** Where bytes go. */
export interface RawAddress {
  readonly url: string
  readonly ca: string | undefined
}

/** Whoever never falls silent is heard for so many times the silence that is waited for, and so far (ours). */
const PATIENCE = 5
const MAX_BYTES = 1024 * 1024

/** Between pieces that are to come one by one (ours). */
const PAUSE_MS = 100

/** What is written as it is: at once, or piece by piece with a pause before each further one. */
export type RawBytes = string | Buffer | readonly string[]

/** Writes bytes to a product's socket, and reads until it closes or nothing has come for as long as told. */
export function sendRaw(
  { url, ca }: RawAddress,
  bytes: RawBytes,
  { firstByteMs, quietMs }: RawPatience,
): Promise<RawReply> {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket: Socket =
    protocol === 'https:'
      ? connectTls({ host, port: Number(port || 443), servername: host, ...(ca && { ca }) })
      : connectTcp({ host, port: Number(port || 80) })
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    let size = 0
    const timer = setTimeout(() => finish(false), firstByteMs + quietMs * PATIENCE)
    const finish = (isClosed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      const text = Buffer.concat(pieces).toString('latin1')
      resolve({ text, status: Number(/^HTTP\/1\.\d (\d{3})/.exec(text)?.[1] ?? 0), isClosed })
    }
    socket.setTimeout(firstByteMs, () => finish(false))
    socket.on('data', (piece: Buffer) => {
      if (size === 0) socket.setTimeout(quietMs)
      pieces.push(piece)
      size += piece.length
      if (size > MAX_BYTES) finish(false)
    })
    socket.on('error', () => finish(true))
    socket.on('close', () => finish(true))
    void write(socket, [bytes].flat())
  })
}

async function write(socket: Socket, pieces: readonly (string | Buffer)[]): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await sleep(PAUSE_MS)
    if (socket.writable) socket.write(piece)
  }
}
