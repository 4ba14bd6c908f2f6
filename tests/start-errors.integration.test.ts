import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))

let server: TestServer
let folder: string
let databaseUrl: string
let taken: Server
let port: number

beforeAll(async () => {
  server = await startTestServer()
  databaseUrl = await server.createDatabase()
  folder = mkdtempSync(join(tmpdir(), 'start-errors-'))
  taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  ;({ port } = taken.address() as AddressInfo)
  const admin = connect({ url: server.embedded.url, maxConnections: 1 })
  await admin`create role guest login password 'guest'`
  await admin.end()
})

afterAll(async () => {
  taken.close()
  rmSync(folder, { recursive: true })
  await server.stop()
})

const change = (turn: (url: URL) => void): string => {
  const url = new URL(databaseUrl)
  turn(url)
  return url.href
}

interface Mistake {
  readonly url?: () => string | undefined
  readonly more?: () => string
}

/** What is wrong, the exit code, and the setting that the error has to name. */
const cases: readonly (readonly [string, Mistake, code: number, setting: string])[] = [
  [
    'a wrong password',
    { url: () => change((url) => Object.assign(url, { password: 'canary' })) },
    1,
    'database.url',
  ],
  [
    'a database that is not there',
    { url: () => change((url) => Object.assign(url, { pathname: 'absent' })) },
    1,
    'database.url',
  ],
  [
    'a port where nobody listens',
    { url: () => 'postgres://router:canary@127.0.0.1:1/router' },
    1,
    'database.url',
  ],
  [
    'a host that nobody knows',
    { url: () => 'postgres://router:canary@absent.invalid/router' },
    1,
    'database.url',
  ],
  [
    'a user who may make no tables',
    { url: () => change((url) => Object.assign(url, { username: 'guest', password: 'guest' })) },
    1,
    'database.url',
  ],
  [
    'a parameter that the server does not know',
    { url: () => `${databaseUrl}?colour=red` },
    1,
    'database.url',
  ],
  [
    'a kind of session that is of no use to a router',
    { url: () => `${databaseUrl}?target_session_attrs=standby` },
    4,
    'database.url',
  ],
  ['a URL of something else', { url: () => 'mysql://127.0.0.1/router' }, 4, 'database.url'],
  [
    'a variable that is not set',
    { url: () => undefined },
    4,
    'database.url: the environment variable ROUTER_TEST_URL',
  ],
  ['a data folder that is a file', { url: () => '', more: () => 'dataDir: ./router.yaml' }, 1, 'dataDir'],
  ['a port that is taken', { more: () => `listen: { port: ${port} }` }, 1, 'listen'],
  [
    'a port of the operator’s that is taken',
    { more: () => `admin: { port: ${port} }\nlisten: { port: 0 }` },
    1,
    'admin',
  ],
  [
    'a port of tests that is taken',
    { more: () => `testControl: { port: ${port} }\nlisten: { port: 0 }` },
    1,
    'testControl',
  ],
  ['a Redis of another scheme', { more: () => 'redis: { url: "http://127.0.0.1:6379" }' }, 4, 'redis.url'],
  ['a public address that is none', { more: () => 'publicBaseUrl: "https://[/v1"' }, 4, 'publicBaseUrl'],
  [
    'a file that is not there',
    { more: () => `secretsKey: "\${file:absent}"` },
    4,
    'secretsKey: a file cannot be read',
  ],
]

test.each(cases)(
  'a start that fails for %s names the setting',
  async (_, { url, more }, expected, setting) => {
    const config = join(folder, 'router.yaml')
    writeFileSync(
      config,
      `database: { url: "\${ROUTER_TEST_URL${url?.() === '' ? ':-' : ''}}" }
endpoints: [ { name: demo, hostname: router.localhost } ]
models:
  - id: demo
    contextLength: 8192
    pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }
    endpoint: demo
    backends: [ { url: "http://127.0.0.1:1/v1" } ]
${more?.() ?? ''}
`,
    )
    const { ROUTER_TEST_URL: _none, ...rest } = process.env
    const given = url === undefined ? databaseUrl : url()
    const env = given === undefined ? rest : { ...rest, ROUTER_TEST_URL: given }
    const { code, stdout, stderr } = await new Promise<{ code: number; stdout: string; stderr: string }>(
      (resolve) => {
        execFile(LAUNCHER, ['run', '--config', config], { env }, (error, stdout, stderr) => {
          resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
        })
      },
    )
    // What was logged before the end is not the error.
    const last = stderr
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('{'))
      .join('\n')
    expect([code, stdout]).toEqual([expected, ''])
    expect(last).toContain(setting)
    expect(stderr).not.toContain('canary')
    expect(last).not.toMatch(/\n\s+at /)
  },
)
