import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { HOSTNAME, temporaryFolder, textOf } from './test-support.ts'

const PROGRAM = join(import.meta.dirname, '..', 'bin', 'platform')
const DEMO = join(import.meta.dirname, 'demo-deployment')

interface Ready {
  readonly url: string
  readonly control_url: string
  readonly root_pem_file: string
  readonly hostname: string
  readonly evidence_digest: string
}

test('It prints where it is, serves, logs JSON alone and ends when told', async () => {
  const child = start(configFile())
  const ready = await readyOf(child)
  expect(Object.keys(ready)).toEqual(['url', 'control_url', 'root_pem_file', 'hostname', 'evidence_digest'])
  expect(ready.hostname).toBe(HOSTNAME)
  const state = await (await fetch(`${ready.control_url}/state`)).json()
  expect(state).toMatchObject({ url: ready.url, hostname: HOSTNAME, digest: ready.evidence_digest })
  expect(JSON.parse(await fetchEvidence(ready))).toMatchObject({ hostname: HOSTNAME })
  const log = textOf(child.stderr)
  child.kill('SIGTERM')
  expect(await exitOf(child)).toEqual([0, null])
  for (const line of (await log).trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('message')
})

test('With --with-parent it ends when its standard input closes', async () => {
  const child = start(configFile(), '--with-parent')
  await readyOf(child)
  child.stdin.end()
  expect(await exitOf(child)).toEqual([0, null])
})

test('After a kill it comes back with the same root, signer, leaf and digest, and a later signature', async () => {
  const file = configFile()
  const first = start(file)
  const before = await readyOf(first)
  const root = readFileSync(before.root_pem_file, 'utf8')
  const old = JSON.parse(await fetchEvidence(before))
  first.kill('SIGKILL')
  await exitOf(first)
  const after = await readyOf(start(file))
  const fresh = JSON.parse(await fetchEvidence(after))
  expect(readFileSync(after.root_pem_file, 'utf8')).toBe(root)
  expect(after.evidence_digest).toBe(before.evidence_digest)
  expect(fresh).toMatchObject({ certChain: old.certChain, tlsLeaf: old.tlsLeaf })
  expect(fresh.issuedAt > old.issuedAt).toBe(true)
})

test('A port that is taken ends with 1 and says what to write, and nothing stays open', async () => {
  const { url } = await readyOf(start(configFile()))
  const child = start(configFile('', new URL(url).port))
  const words = textOf(child.stderr)
  expect(await exitOf(child)).toEqual([1, null])
  expect(await words).toMatch(/is taken \(EADDRINUSE\).*such as listen: \{ port: \d+ \}/)
})

test('A broken configuration ends with 4 and names every mistake', async () => {
  const file = configFile('colour: blue\nalgorithm: HS256\n')
  const child = start(file)
  const words = textOf(child.stderr)
  expect(await exitOf(child)).toEqual([4, null])
  expect(await words).toContain('colour: is not a known key')
  expect(await words).toContain('algorithm: must be')
})

test('--check tells the digest and serves nothing', async () => {
  const child = start(configFile(), '--check')
  const text = textOf(child.stdout)
  expect(await exitOf(child)).toEqual([0, null])
  expect(JSON.parse(await text)).toEqual({
    hostname: HOSTNAME,
    evidence_digest: expect.stringMatching(/^sha256\/[\w-]{43}$/),
    warnings: [],
  })
})

const PASSWORD = 'hunter2hunter2'
const LEAKY = `resources: [{ kind: Job, spec: { env: [{ name: DB_PASSWORD, value: ${PASSWORD} }] } }]\n`
const PLACE = 'resources[0].spec.env[0].value'

test('What looks like a credential is told by its place, checked or served, and its value never', async () => {
  const checked = start(configFile(LEAKY), '--check')
  const [told, said] = [textOf(checked.stdout), textOf(checked.stderr)]
  expect(await exitOf(checked)).toEqual([0, null])
  const { warnings } = JSON.parse(await told)
  expect(warnings).toEqual([{ path: PLACE, message: expect.stringContaining('looks like a credential') }])
  const child = start(configFile(LEAKY))
  const log = textOf(child.stderr)
  await readyOf(child)
  child.kill('SIGTERM')
  const lines = (await log).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn')).toEqual([
    expect.objectContaining({ ...warnings[0] }),
  ])
  for (const text of [await told, await said, await log]) expect(text).not.toContain(PASSWORD)
})

test('The place of such a value is shown, whatever stands in it', async () => {
  const hostile = `resources: [{ kind: ConfigMap, data: { "DB_PASSWORD\\e[2J\\u202e": ${PASSWORD} } }]\n`
  const child = spawn(PROGRAM, ['run', '--config', configFile(hostile), '--check'])
  const said = textOf(child.stderr)
  expect(await exitOf(child)).toEqual([0, null])
  expect(await said).toContain('resources[0].data.DB_PASSWORD\\u001b[2J\\u202e looks like a credential')
})

test('A Secret ends with 4, named by its file and by its name; its value is told nowhere', async () => {
  const folder = temporaryFolder()
  writeFileSync(
    join(folder, 'all.yaml'),
    `kind: Service\n---\nkind: Secret\nmetadata: { name: db }\nstringData: { password: ${PASSWORD} }\n`,
  )
  const child = start(configFile('', '0', folder))
  const words = textOf(child.stderr)
  expect(await exitOf(child)).toEqual([4, null])
  expect(await words).toContain('all.yaml: is the Secret "db"')
  expect(await words).not.toContain(PASSWORD)
})

test('A wrong option ends with 2', async () => {
  expect(await exitOf(start(configFile(), '--colour'))).toEqual([2, null])
})

function configFile(more = '', port = '0', deployment = DEMO): string {
  const file = join(temporaryFolder(), 'platform.yaml')
  const listen = `listen: { port: ${port} }\ncontrol: { port: 0 }\n`
  const text = `hostname: ${HOSTNAME}\nupstream: http://127.0.0.1:9\ndeployment: ${deployment}\n`
  writeFileSync(file, listen + text + more)
  return file
}

function start(config: string, ...options: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(PROGRAM, ['run', '--config', config, '--json', ...options])
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function readyOf(child: ChildProcessWithoutNullStreams): Promise<Ready> {
  const [line] = await once(child.stdout, 'data')
  return JSON.parse(String(line))
}

function exitOf(child: ChildProcessWithoutNullStreams): Promise<unknown[]> {
  return once(child, 'exit')
}

async function fetchEvidence({ url, root_pem_file }: Ready): Promise<string> {
  const ca = readFileSync(root_pem_file)
  const message = request(`${url}/.well-known/platform-evidence`, { ca, servername: HOSTNAME, agent: false })
  message.end()
  const [answer] = await once(message, 'response')
  return textOf(answer)
}
