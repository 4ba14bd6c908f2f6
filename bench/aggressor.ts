import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { attacks } from './attacks.ts'

/** One aggressor, in a process of its own so that its work is not the router's: base URL, key, place of the attack. */
const [baseUrl = '', apiKey = '', place = '0'] = process.argv.slice(2)
const SOCKETS = 200

/** How long a socket that was closed waits before it connects again. */
const RETURN_MS = 1_000

const { write } = attacks[Number(place)]!
const { port, pathname } = new URL(baseUrl)
const head = `POST ${pathname}/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\n`

function open(): void {
  const socket: Socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  socket.on('data', () => socket.destroy())
  socket.on('close', () => void sleep(RETURN_MS).then(open))
  socket.on('connect', () => write(socket, head))
}

for (let count = 0; count < SOCKETS; count++) open()
process.once('disconnect', () => process.exit())
