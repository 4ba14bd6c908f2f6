import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { attacks } from './attacks.ts'

/** Begins or goes on at this address. */
export interface AttackOrder {
  readonly url: string
  readonly apiKey: string
}

/** What has been sent since the last report. */
export interface AttackReport {
  readonly connections: number
}

/** One aggressor, in a process of its own so that its work is not the router's; its argument is the attack's place. */
const { write } = attacks[Number(process.argv[2])]!
const SOCKETS = 200

/** How long a socket that was closed waits before it connects again. */
const RETURN_MS = 1_000

const open = new Set<Socket>()
let report = { connections: 0 }
let round = 0

function begin({ url, apiKey }: AttackOrder, current: number): void {
  if (current !== round) return
  const { port, pathname } = new URL(url)
  const head = `POST ${pathname}/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\n`
  const socket = connect(Number(port), '127.0.0.1')
  open.add(socket)
  socket.on('error', () => {})
  socket.on('close', () => {
    open.delete(socket)
    void sleep(RETURN_MS).then(() => begin({ url, apiKey }, current))
  })
  socket.on('connect', () => {
    report.connections++
    write(socket, head)
  })
}

/** An order begins a round; a rest ends it, and its report is sent when all of its sockets are closed. */
process.on('message', async (order: AttackOrder | 'rest') => {
  const current = ++round
  for (const socket of open) socket.resetAndDestroy()
  if (order !== 'rest') {
    for (let count = 0; count < SOCKETS; count++) begin(order, current)
    return
  }
  while (open.size > 0) await sleep(1)
  process.send?.(report satisfies AttackReport)
  report = { connections: 0 }
})
process.once('disconnect', () => process.exit())
