import { startClient } from './client.ts'
import { Counter } from './counter.ts'
import type { Command, Order } from './order.ts'

/** One process of the load: does what it is told by the one that started it, and ends with that. */
const counter = new Counter()
let stops: (() => void)[] = []
let waiting: NodeJS.Timeout[] = []

process.on('message', (command: Command) => {
  if (command === 'count') counter.begin()
  else if (command === 'report') process.send?.(counter.report())
  else if (command === 'stop') stop()
  else start(command.start)
})
process.on('disconnect', () => process.exit())
// A signal to the whole group is for the one that started this: it still asks for what was counted.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})

function start(order: Order): void {
  const request = requestFor(order)
  if (waiting.length === 0) {
    counter.open = 0
    counter.begin()
  }
  for (let client = 0; client < order.clients; client++) {
    const inMs = (order.withinMs * client) / order.clients
    waiting.push(setTimeout(() => stops.push(startClient(order, request, counter)), inMs))
  }
}

function stop(): void {
  waiting.forEach(clearTimeout)
  for (const end of stops) end()
  waiting = []
  stops = []
}

function requestFor({ target, body, isChurn }: Order): Buffer {
  const { pathname, host } = new URL(target.url)
  const headers = {
    host: target.tls?.hostname ?? host,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...target.headers,
    ...(isChurn && { connection: 'close' }),
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}
