import { spawn } from 'node:child_process'
import { statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../testing/programs.ts'
import { askSocket } from '../testing/unix.ts'
import { closeWorlds, startWorld } from '../testing/world.ts'
import { open } from './open.ts'

afterEach(closeWorlds)

function listener(): Server {
  const server = createServer((_, response) => void response.end('mine'))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

const place = (socket: string) => ({ host: '', port: 0, socket })

test('a Unix socket is for its owner alone', async () => {
  const socket = join(temporaryFolder(), 'proxy.sock')
  const usual = process.umask()
  await open(listener(), place(socket), 'listen')
  expect(statSync(socket).mode & 0o777).toBe(0o600)
  expect(process.umask()).toBe(usual)
})

test('a folder that is not there is made for the socket, for its owner alone', async () => {
  const folder = join(temporaryFolder(), 'run')
  await open(listener(), place(join(folder, 'proxy.sock')), 'listen')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect((await askSocket(join(folder, 'proxy.sock'), '/')).text).toBe('mine')
})

test('a socket that nobody answers any more is taken over, one that is answered is not', async () => {
  const socket = join(temporaryFolder(), 'proxy.sock')
  const first = listener()
  await open(first, place(socket), 'listen')
  await expect(open(listener(), place(socket), 'listen')).rejects.toMatchObject({ code: 'EADDRINUSE' })
  expect((await askSocket(socket, '/')).text).toBe('mine')
})

test('a file that is no socket stays', async () => {
  const file = join(temporaryFolder(), 'notes.txt')
  writeFileSync(file, 'mine')
  await expect(open(listener(), place(file), 'listen')).rejects.toMatchObject({ code: 'EADDRINUSE' })
  expect(statSync(file).size).toBe(4)
})

test('a proxy on a Unix socket takes any host, and still no page (V-11)', async () => {
  const socket = join(temporaryFolder(), 'proxy.sock')
  const world = await startWorld({ listen: { socket } })
  const headers = { host: 'whatever.example' }
  expect(await askSocket(socket, '/v1/models', headers)).toMatchObject({ status: 200, verdict: 'allow' })
  const page = { ...headers, origin: 'https://evil.example' }
  expect(await askSocket(socket, '/v1/models', page)).toMatchObject({ status: 403, verdict: undefined })
  expect(world.gateway.requests).toHaveLength(1)
})

/** Asks on so many connections at once; says how many are there after a moment, and how many are answered in the end. */
const CROWD = `
  const { connect } = require('node:net')
  let [connected, answered, over] = [0, 0, 0]
  const count = Number(process.argv[2])
  for (let number = 0; number < count; number++) {
    const socket = connect(Number(process.argv[1]), '127.0.0.1', () => {
      connected++
      socket.write('GET / HTTP/1.1\\r\\nhost: x\\r\\nconnection: close\\r\\n\\r\\n')
    })
    socket.once('data', () => answered++).on('error', () => {})
    socket.on('close', () => ++over === count && console.log(answered))
  }
  setTimeout(() => console.log(connected), 1_200)`

test('a crowd that comes while the proxy has something else to do waits for it, and is answered', async () => {
  const server = listener()
  await open(server, { host: '127.0.0.1', port: 0 }, 'listen')
  const { port } = server.address() as AddressInfo
  const crowd = spawn(process.execPath, ['-e', CROWD, String(port), '1500'])
  // Not even the event loop turns meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500)
  expect(await text(crowd.stdout)).toBe('1500\n1500\n')
}, 60_000)
