import { connect, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { nowMicros } from '../wire/clock.ts'
import { MessageReader } from '../wire/message-reader.ts'
import { StampReader } from '../wire/stamps.ts'
import type { Counter } from './counter.ts'
import type { Order } from './order.ts'

/** Milliseconds after which a connection that failed is tried again. */
const AGAIN_MS = 20
const READ_BYTES = 65_536

/** One for all: what is read is looked at before the next read begins. */
const memory = Buffer.allocUnsafe(READ_BYTES)

/** Sends one request after the other, each when the answer before it has ended. Gives what ends it. */
export function startClient(order: Order, request: Buffer, counter: Counter): () => void {
  let socket: Socket | undefined
  let isStopped = false
  let isAnswered = true
  let sentAt = 0
  let isRefused = false
  let isOpen = false
  let stamps = new StampReader()
  let refusal = ''

  dial()
  return () => {
    isStopped = true
    socket?.destroy()
  }

  function dial(): void {
    sentAt = nowMicros()
    isAnswered = false
    const reader = new MessageReader({ onHead, onBody, onEnd })
    const onread = {
      buffer: memory,
      callback: (length: number) => {
        reader.push(memory.subarray(0, length))
        return true
      },
    }
    const to = new URL(order.target.url)
    const address = { host: to.hostname, port: Number(to.port), noDelay: true }
    const { tls } = order.target
    if (tls === undefined) socket = connect({ ...address, onread }, () => send())
    else {
      const options: ConnectionOptions = { ...address, ca: tls.ca, servername: tls.hostname }
      socket = connectTls(options, () => send()).on('data', (read) => reader.push(read))
    }
    let reason = 'the connection ended before its answer'
    socket.on('error', (error) => {
      reason = error.message
    })
    socket.on('close', () => {
      reader.close()
      if (isOpen) counter.open--
      isOpen = false
      if (isStopped) return
      if (isAnswered) dial()
      else {
        counter.lost(reason)
        setTimeout(() => isStopped || dial(), AGAIN_MS)
      }
    })
  }

  function send(): void {
    if (isStopped) return
    // The handshake belongs to a request that has a connection of its own.
    if (!order.isChurn) sentAt = nowMicros()
    isAnswered = false
    stamps = new StampReader()
    socket?.write(request)
  }

  function onHead(head: string): void {
    isRefused = !head.startsWith('HTTP/1.1 200')
    refusal = isRefused ? head.slice(0, head.indexOf('\r\n')) : ''
  }

  function onBody(piece: Buffer): void {
    if (isRefused) {
      refusal += ` ${piece.toString('latin1', 0, 200)}`
      return
    }
    const now = nowMicros()
    if (!isOpen) {
      isOpen = true
      counter.open++
      counter.began(now - sentAt)
    }
    for (const at of stamps.read(piece)) counter.chunk(at === 0 ? undefined : now - at)
  }

  function onEnd(): void {
    isAnswered = true
    if (isOpen) counter.open--
    isOpen = false
    if (isRefused) counter.refused(refusal)
    else counter.ended(nowMicros() - sentAt)
    if (order.isChurn) socket?.end()
    // Whoever is refused at once must not take all of the machine for being refused again.
    else if (isRefused) setTimeout(send, AGAIN_MS)
    else send()
  }
}
