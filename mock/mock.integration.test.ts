import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isChatCompletion } from '#contract/validators/chat-completion'
import { isModelList } from '#contract/validators/model-list'

const MAIN = join(import.meta.dirname, 'main.ts')
const START_MS = 300_000

let baseUrl: string
let stop: () => Promise<void>

/** A port that nobody has; Prism cannot be asked which one it took. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

beforeAll(async () => {
  const port = await freePort()
  baseUrl = `http://127.0.0.1:${port}/v1`
  // What it says of an installation that fails belongs to the test's own output.
  const child = spawn(process.execPath, [MAIN, '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  stop = async () => {
    child.kill()
    await ended
  }
  const serves = vi.waitFor(async () => expect((await ask('/models')).status).toBe(200), {
    timeout: START_MS,
    interval: 200,
  })
  const failed = ended.then(([code]) => {
    throw new Error(`The mock has ended with exit code ${code}.`)
  })
  failed.catch(() => undefined)
  await Promise.race([serves, failed])
}, START_MS)

afterAll(async () => await stop())

async function ask(path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

test('the mock lists models and answers a chat as the contract has it', async () => {
  expect(isModelList((await ask('/models')).body)).toBe(true)
  const messages = [{ role: 'user', content: 'Hello' }]
  const { status, body } = await ask('/chat/completions', { model: 'demo/tiny-chat', messages })
  expect(status).toBe(200)
  expect(isChatCompletion(body)).toBe(true)
})

test('the mock refuses what the contract refuses', async () => {
  expect(await ask('/chat/completions', { model: 'demo/tiny-chat' })).toMatchObject({
    status: 400,
    body: { error: { type: 'invalid_request_error' } },
  })
})
