import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { inspectBundle, parseDigest, toHex } from '#attestation'
import { createBackend } from '../conformance/stand-ins/backend/backend.ts'
import { HOME, placesIn } from './places.ts'
import { identify, isRunning } from './processes.ts'
import { type Pids, readStackFile, type StackFile } from './stackfile.ts'
import { findStarter } from './starter.ts'

// Under a folder that only its owner may enter, as mktemp makes them.
let folder: string
let dataDir: string
const running = new Set<ChildProcess>()
/** The one that several tests share. */
let up: Awaited<ReturnType<typeof startUp>> | undefined

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stack-'))
  dataDir = join(folder, 'data')
})
afterEach(async () => {
  for (const child of running) if (child !== up?.child) await stop(child)
})
afterAll(async () => {
  for (const child of running) await stop(child)
  await start('reset.ts').code
  rmSync(folder, { recursive: true })
})

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** Runs one of the stack's programs on the test's data folder. */
function start(program: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [join(HOME, 'stack', program), '--data', dataDir, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const code = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    return code ?? signal
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)]).then((parts) => parts.join(''))
  return { child, code, output }
}

/** Starts a stack and waits until it is up. */
async function startUp() {
  const started = start('start.ts')
  await vi.waitUntil(() => upBy(started.child.pid), { timeout: 180_000, interval: 50 })
  return { ...started, stack: upBy(started.child.pid)! }
}

function upBy(pid: number | undefined): StackFile | undefined {
  const stack = readStackFile(placesIn(dataDir))
  return stack?.pids.start === pid ? stack : undefined
}

/** What `--json` printed. */
function stackIn(said: string): StackFile {
  return JSON.parse(said.split('\n').find((line) => line.startsWith('{')) ?? '')
}

async function untilGone(pids: Pids): Promise<void> {
  const left = (): number[] => Object.values(pids).filter((pid) => identify(pid) !== undefined)
  await expect.poll(left, { timeout: 60_000 }).toEqual([])
}

/** Asks through the proxy. */
async function answerOf({ proxy_base_url, api_key, model }: StackFile): Promise<string> {
  const client = new OpenAI({ baseURL: proxy_base_url, apiKey: api_key, maxRetries: 0 })
  const answer = await client.chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'Hello' }],
  })
  return answer.choices[0]?.message.content ?? ''
}

/** Signs in to the console as the starter tells people to, and gives the cookies that come of it. */
async function signIn({ console_url, outbox_url }: StackFile): Promise<string> {
  const email = 'admin@router.localhost'
  const ask = async (path: string, body: object, cookie = ''): Promise<string> => {
    const response = await fetch(new URL(`api${path}`, console_url), {
      method: 'POST',
      headers: { Origin: new URL(console_url).origin, 'Content-Type': 'application/json', Cookie: cookie },
      body: JSON.stringify(body),
    })
    expect(response.ok, await response.text()).toBe(true)
    return response.headers.getSetCookie()[0]!.split(';')[0]!
  }
  const browser = await ask('/sign-in/codes', { email })
  const code = await vi.waitUntil(
    async () => {
      const { data } = (await (await fetch(`${outbox_url}/mails`)).json()) as { data: { text: string }[] }
      return /^\d{6}$/m.exec(data[0]?.text ?? '')?.[0]
    },
    { timeout: 60_000 },
  )
  return ask('/sign-in', { email, code }, browser)
}

test('a start with --exit shows an answer, its record and its ledger row, and leaves nothing running', async () => {
  const { code, output } = start('start.ts', '--exit', '--json')
  const said = await output
  expect(await code, said).toBe(0)
  expect(said).toMatch(/│ Hello, and welcome! /)
  expect(said).toMatch(/│ prompt_tokens +12 /)
  expect(said).toMatch(/│ cost_micros +23 +\$0\.000023/)
  expect(said).toMatch(/│ balance before +\$5\.000000 /)
  expect(said).toMatch(/│ balance after +\$4\.999977 /)
  expect(said).not.toContain('\u001B')
  const stack = stackIn(said)
  const [pin] = stack.pins.map((text) => parseDigest(text))
  expect(said).toMatch(
    /✓ fetch .*\n.*✓ cert-chain .*\n.*✓ untrusted-root .*\n.*✓ jws .*\n.*✓ tls-f.*\n.*✓ policy/,
  )
  expect(said.indexOf('Not proven by this')).toBeLessThan(said.indexOf('│ Hello, and welcome!'))
  expect(said).toContain(`  ${toHex(pin!)}\n`)
  expect(said).toContain(`X-Proxy-Verdict: allow, from ${stack.proxy_base_url}\n`)
  expect(said).toMatch(new RegExp(`│ evidence_digest +${pin}  verified │`))
  for (const url of [stack.proxy_base_url, stack.router_base_url]) {
    expect(said).toMatch(new RegExp(`^ +curl -N ${url}/chat/completions .*${stack.api_key}`, 'm'))
  }
  const judge = `bin/proxy verify ${stack.platform_url} --hostname router.localhost --root ${stack.root_pem_file}`
  expect(said).toContain(`  ${judge} --pin ${toHex(pin!)}\n`)
  await untilGone(stack.pids)
  expect(existsSync(placesIn(dataDir).stackFile)).toBe(false)
})

describe('a stack that is up', () => {
  beforeAll(async () => {
    up = await startUp()
  })

  test('serves health and metrics, is not started twice, and is not reset', async () => {
    const { child, stack } = up!
    expect((await fetch(`${stack.admin_url}/readyz`)).status).toBe(200)
    expect(await (await fetch(`${stack.admin_url}/metrics`)).text()).toContain('router_generations_running ')
    expect(statSync(placesIn(dataDir).stackFile).mode & 0o777).toBe(0o600)
    const second = start('start.ts')
    expect(await second.output).toContain(`It is up already, run by process ${child.pid}`)
    expect(await second.code).toBe(0)
    const reset = start('reset.ts')
    expect(await reset.output).toContain('The stack is up.')
    expect(await reset.code).toBe(1)
    expect(upBy(child.pid)).toEqual(stack)
  })

  test('leads an administrator into a console where the first answer stands in the log', async () => {
    const { stack } = up!
    const page = await fetch(stack.console_url)
    expect(await page.text()).toContain('<script type="module"')
    const cookie = await signIn(stack)
    const read = async (path: string): Promise<unknown> =>
      (await fetch(new URL(`api${path}`, stack.console_url), { headers: { Cookie: cookie } })).json()
    expect(await read('/me')).toMatchObject({
      administrator: true,
      workspace: { id: stack.workspace_id, name: 'demo' },
      settings: { base_url: stack.router_base_url },
    })
    expect(await read('/requests')).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({ model: stack.model, status: 'ok', input_tokens: 12, output_tokens: 34 }),
      ]),
    })
  })

  test('survives the death of its parts', async () => {
    const { child, stack } = up!
    for (const part of ['backend', 'router', 'platform', 'proxy', 'postgres'] as const) {
      const before = stack.pids[part]!
      process.kill(before, 'SIGKILL')
      await expect.poll(() => upBy(child.pid)?.pids[part], { timeout: 60_000 }).not.toBe(before)
      await expect.poll(() => answerOf(stack).catch(() => ''), { timeout: 60_000 }).toMatch(/^[A-Z].*[.!]$/)
    }
  })

  test('refuses a deployment that was not pinned until the platform restarts, which heals by itself', async () => {
    const { child, stack } = up!
    const evidence = async (url: string): Promise<string> => {
      const bundle = await (await fetch(`${url}/evidence`)).bytes()
      return inspectBundle(bundle).payload.evidenceDigest
    }
    await fetch(`${stack.platform_control_url}/rotate/deployment`, { method: 'POST' })
    await expect.poll(() => evidence(stack.router_base_url), { timeout: 60_000 }).not.toBe(stack.pins[0])
    // A proxy that starts judges anew, as one that runs does every few minutes.
    process.kill(upBy(child.pid)!.pids.proxy, 'SIGKILL')
    const refusal = () => answerOf(stack).catch(({ status, error }) => ({ status, code: error?.code }))
    await expect.poll(refusal, { timeout: 60_000 }).toEqual({ status: 503, code: 'attestation_failed' })
    const response = await fetch(`${stack.proxy_base_url}/models`)
    expect(response.headers.has('x-proxy-verdict')).toBe(false)
    expect(await response.json()).toMatchObject({ stage: 'policy', reason: 'digest_not_pinned' })

    process.kill(upBy(child.pid)!.pids.platform, 'SIGKILL')
    await expect.poll(() => answerOf(stack).catch(() => ''), { timeout: 60_000 }).toMatch(/^[A-Z].*[.!]$/)
    await expect.poll(() => evidence(stack.proxy_base_url), { timeout: 60_000 }).toBe(stack.pins[0])
  })

  test('goes at Ctrl-C, pressed twice; a running answer ends with an error event, through the proxy too', async () => {
    const { child, code, output, stack } = up!
    const ends = [stack.proxy_base_url, stack.router_base_url].map(async (url) => {
      const response = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${stack.api_key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({
          model: stack.model,
          stream: true,
          messages: [{ role: 'user', content: 'Hello [script:long]' }],
        }),
      })
      expect(response.status).toBe(200)
      return response.text()
    })
    const running = async () => (await fetch(`${stack.backend_control_url}/connections`)).json()
    await expect.poll(running, { timeout: 60_000 }).toMatchObject({ inFlight: ends.length })
    const { pids } = upBy(child.pid)!
    child.kill('SIGINT')
    child.kill('SIGINT')
    for (const text of await Promise.all(ends)) {
      expect(text).toMatch(/data: \{"error":\{.*\n\ndata: \[DONE\]\n\n$/)
    }
    const said = await output
    expect(await code, said).toBe(0)
    for (const part of ['router', 'platform', 'proxy']) expect(said).toContain(`The ${part} is back.`)
    expect(said).toContain('PostgreSQL had died; it is back.')
    const stopped = [...said.matchAll(/^ +(\w+) .*stopped in/gm)].map(([, name]) => name)
    expect(stopped).toEqual(['Proxy', 'Platform', 'Router', 'Backend', 'PostgreSQL'])
    await untilGone(pids)
  })
})

test('after a starter was killed its children go, and the next start takes over', async () => {
  const { child, stack } = await startUp()
  child.kill('SIGKILL')
  const { start: _, postgres, ...children } = stack.pids
  await untilGone({ ...children, start: child.pid!, postgres: 0 })
  expect(identify(postgres)).toBeDefined()
  const next = start('start.ts', '--exit')
  const said = await next.output
  expect(await next.code, said).toBe(0)
  expect(said).toContain('workspace demo of an earlier start')
  await untilGone(stack.pids)
})

test('a real backend is asked through the proxy as well', async () => {
  const backend = await createBackend({ models: ['big-chat'], paceMs: 1 })
  const { code, output } = start(
    'start.ts',
    '--exit',
    '--json',
    '--backend',
    backend.url,
    '--model',
    'big-chat',
  )
  const said = await output
  await backend.close()
  expect(await code, said).toBe(0)
  expect(said).toContain('X-Proxy-Verdict: allow')
  expect(said).toMatch(/│ model +big-chat /)
  expect(said).toMatch(/│ evidence_digest +sha256\/\S+ {2}verified │/)
  expect(stackIn(said).pids.backend).toBeUndefined()
})

test('a backend that does not answer is a clear failure, and nothing is left running', async () => {
  const { code, output } = start('start.ts', '--backend', 'http://127.0.0.1:1/v1', '--model', 'tiny')
  expect(await output).toContain('It did not work. Nothing answers at http://127.0.0.1:1/v1.')
  expect(await code).toBe(1)
})

test('a start that is interrupted leaves nothing running', async () => {
  const { child, code } = start('start.ts')
  const starter = () => findStarter(placesIn(dataDir))
  await expect.poll(() => starter()?.children.length, { timeout: 60_000 }).toBeGreaterThan(0)
  const { children } = starter()!
  child.kill('SIGINT')
  expect(await code).toBe(130)
  expect(children.filter(isRunning)).toEqual([])
  expect(existsSync(placesIn(dataDir).starterFile)).toBe(false)
})

test('reset leaves a folder alone that no start has made', async () => {
  const reset = start('reset.ts', '--data', folder)
  expect(await reset.output).toContain('was not made by npm start')
  expect(await reset.code).toBe(1)
})

test('reset forgets everything', async () => {
  const { code } = start('reset.ts')
  expect(await code).toBe(0)
  expect(readdirSync(folder)).toEqual([])
})
