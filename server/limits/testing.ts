import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'

/** A real Redis for one test file. */
export interface TestRedis {
  readonly url: string
  /** SIGKILL: nothing is saved. */
  kill(): Promise<void>
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>
  /** Stops answering without closing a connection, until `resume`. */
  pause(): void
  resume(): void
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

const BINARY = 'redis-server'

/** Starts Debian's Redis on a free loopback port. */
export async function startRedis(): Promise<TestRedis> {
  const folders = (process.env.PATH ?? '').split(delimiter)
  if (!folders.some((folder) => existsSync(join(folder, BINARY)))) {
    throw new Error(`These tests need ${BINARY}: apt-get install -y redis-server`)
  }
  const folder = await mkdtemp(join(tmpdir(), 'router-redis-'))
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  let server = await start(port, folder, url)

  async function kill(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.kill('SIGKILL')
    await exited
  }

  return {
    url,
    kill,
    async restart() {
      await kill()
      server = await start(port, folder, url)
    },
    pause() {
      server.kill('SIGSTOP')
    },
    resume() {
      server.kill('SIGCONT')
    },
    async stop() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function start(port: number, folder: string, url: string): Promise<ChildProcess> {
  const options = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder]
  const server = spawn(BINARY, [...options, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' })
  while (!(await answers(url))) {
    if (server.exitCode !== null) throw new Error(`${BINARY} ended with exit code ${server.exitCode}`)
    await sleep(10)
  }
  return server
}

async function answers(url: string): Promise<boolean> {
  const client = createClient({ url, socket: { reconnectStrategy: false } }).on('error', () => {})
  try {
    await client.connect()
    await client.ping()
    return true
  } catch {
    return false
  } finally {
    if (client.isOpen) client.destroy()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
