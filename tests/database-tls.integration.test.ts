// @module-tag openssl

import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { connect } from '../server/store/connection.ts'
import { startTestServer, type TestServer } from '../server/store/testing.ts'
import { isDatabaseUrl } from '../server/store/tls/hosts.ts'
import { makeCertificates, type TestCertificates, turnOnTls } from './database-tls.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))

let server: TestServer
let plainServer: TestServer
let folder: string
let certificates: TestCertificates

/** The server, which has an address of version 4 alone, at one of version 6. */
let over6: { readonly port: number; close(): void }

const portOf = ({ embedded }: TestServer): number => Number(new URL(embedded.url).port)

async function listenOver6(): Promise<typeof over6> {
  const relay = createServer((socket) => {
    const onward = createConnection(portOf(server), '127.0.0.1')
    for (const end of [socket, onward]) end.on('error', () => {})
    socket.pipe(onward).pipe(socket)
  })
  await once(relay.listen(0, '::1'), 'listening')
  return { port: (relay.address() as AddressInfo).port, close: () => relay.close() }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'database-tls-'))
  certificates = makeCertificates(folder)
  ;[server, plainServer] = await Promise.all([startTestServer(), startTestServer()])
  over6 = await listenOver6()
  await turnOnTls(server, certificates)
  // The server rereads its settings when it gets to it.
  await vi.waitFor(
    async () => expect(await protectionOf(urlOf({ query: 'sslmode=require' }))).toBe('TLS'),
    30_000,
  )
})

afterAll(async () => {
  over6.close()
  await Promise.all([server.stop(), plainServer.stop()])
  rmSync(folder, { recursive: true })
})

interface Address {
  readonly query: string
  readonly host?: string
  readonly user?: string
  readonly of?: TestServer
}

function urlOf({ query, host = 'localhost', user, of = server }: Address): string {
  const url = new URL(of.embedded.url)
  url.hostname = host
  if (user !== undefined) [url.username, url.password] = [user, '']
  return `${url.href}?${query}`
}

/** How the database sees the connection: `TLS`, `plain`, or why there is none. */
async function protectionOf(url: string): Promise<string> {
  const sql = connect({ url, maxConnections: 1 })
  try {
    const [row] = await sql<{ ssl: boolean }[]>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`
    return row!.ssl ? 'TLS' : 'plain'
  } catch (error) {
    return (error as Error).message
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const NO_ROOT = /^sslrootcert=.+ does not exist, and sslmode=verify-\w+ needs it/
const NOT_TRUSTED = /^No TLS with the database \(sslmode=[\w-]+, sslrootcert=.+\): (self-signed|unable to)/
const NOT_OFFERED = /^The database offers no TLS, and sslmode=[\w-]+ insists on it$/
const TURNED_AWAY = /pg_hba\.conf rejects connection/

describe('a server with a certificate for localhost', () => {
  test.each<
    [
      query: string,
      root: 'root' | 'strangeRoot' | 'absent' | undefined,
      host: string,
      expected: string | RegExp,
    ]
  >([
    ['', undefined, 'localhost', 'TLS'],
    ['sslmode=disable', undefined, 'localhost', 'plain'],
    ['sslmode=allow', undefined, 'localhost', 'plain'],
    ['sslmode=prefer', undefined, 'localhost', 'TLS'],
    ['sslmode=require', undefined, 'localhost', 'TLS'],
    ['ssl=true', undefined, 'localhost', 'TLS'],
    ['sslmode=require', 'root', 'localhost', 'TLS'],
    // With a root file it is verify-ca.
    ['sslmode=require', 'strangeRoot', 'localhost', NOT_TRUSTED],
    ['sslmode=require', 'root', '127.0.0.1', 'TLS'],
    ['sslmode=require', 'absent', 'localhost', 'TLS'],
    ['sslmode=prefer', 'root', 'localhost', 'TLS'],
    ['sslmode=prefer', 'strangeRoot', 'localhost', 'plain'],
    ['sslmode=verify-ca', 'root', 'localhost', 'TLS'],
    ['sslmode=verify-ca', 'root', '127.0.0.1', 'TLS'],
    ['sslmode=verify-ca', 'strangeRoot', 'localhost', NOT_TRUSTED],
    ['sslmode=verify-ca', 'absent', 'localhost', NO_ROOT],
    ['sslmode=verify-full', 'root', 'localhost', 'TLS'],
    ['sslmode=verify-full', 'root', '127.0.0.1', /127\.0\.0\.1/],
    ['sslmode=verify-full', 'strangeRoot', 'localhost', NOT_TRUSTED],
    ['sslmode=verify-full', 'absent', 'localhost', NO_ROOT],
    ['sslmode=require&sslnegotiation=direct', undefined, 'localhost', 'TLS'],
    ['sslmode=verify-full&sslnegotiation=direct', 'root', 'localhost', 'TLS'],
    ['sslmode=require&ssl_max_protocol_version=TLSv1.2', undefined, 'localhost', 'TLS'],
    ['sslmode=require&channel_binding=prefer', undefined, 'localhost', 'TLS'],
  ])('"%s" with %s, at %s: %s', async (query, root, host, expected) => {
    const file = root === 'absent' ? join(folder, 'absent.pem') : root && certificates[root]
    const roots = file === undefined ? '' : `&sslrootcert=${encodeURIComponent(file)}`
    expect(await protectionOf(urlOf({ query: query + roots, host }))).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    )
  })

  test.each([
    ['by_tls', 'disable', TURNED_AWAY],
    ['by_tls', 'allow', 'TLS'],
    ['by_tls', 'prefer', 'TLS'],
    ['by_tls', 'require', 'TLS'],
    ['by_plain', 'allow', 'plain'],
    ['by_plain', 'prefer', 'plain'],
    ['by_plain', 'require', TURNED_AWAY],
  ])('%s, who may come on one way alone, with sslmode=%s: %s', async (user, mode, expected) => {
    expect(await protectionOf(urlOf({ query: `sslmode=${mode}`, user }))).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    )
  })

  test('a client certificate is shown to a server that asks for one, and not where it is switched off', async () => {
    const own = `sslcert=${certificates.client}&sslkey=${certificates.clientKey}`
    const query = `sslmode=require&${own}`
    expect(await protectionOf(urlOf({ query, user: 'by_cert' }))).toBe('TLS')
    const off = urlOf({ query: `${query}&sslcertmode=disable`, user: 'by_cert' })
    expect(await protectionOf(off)).toContain('requires a valid client certificate')
  })

  test.each([
    ['its IPv6 address', () => `[::1]:${over6.port}`],
    ['that and another', () => `[::1]:${over6.port},localhost:${portOf(server)}`],
    ['two names', () => `localhost:${portOf(server)},127.0.0.1:${portOf(server)}`],
  ])('a server is reached by %s', async (_, servers) => {
    for (const [mode, expected] of [
      ['require', 'TLS'],
      ['disable', 'plain'],
    ]) {
      const url = urlOf({ query: `sslmode=${mode}` }).replace(/localhost:\d+/, servers())
      expect(await protectionOf(url)).toBe(expected)
      expect(isDatabaseUrl(url)).toBe(true)
    }
  })

  test('the address of a server has to stand in its certificate, too', async () => {
    const query = `sslmode=verify-full&sslrootcert=${certificates.root}`
    const url = urlOf({ query }).replace(/localhost:\d+/, `[::1]:${over6.port}`)
    expect(await protectionOf(url)).toContain("IP: ::1 is not in the cert's list")
  })

  test('a client key that others can read is not used', async () => {
    const key = join(folder, 'open.key')
    copyFileSync(certificates.clientKey, key)
    chmodSync(key, 0o644)
    const url = urlOf({ query: `sslmode=require&sslcert=${certificates.client}&sslkey=${key}` })
    expect(await protectionOf(url)).toContain(`sslkey=${key} can be read by others`)
  })

  test('what is no certificate, key, password or list of revocations is told by its setting', async () => {
    const [locked, junk] = [join(folder, 'locked.key'), join(folder, 'junk.pem')]
    const lock = ['-topk8', '-v2', 'aes-256-cbc', '-passout', 'pass:right', '-out', locked]
    execFileSync('openssl', ['pkcs8', '-in', certificates.clientKey, ...lock])
    writeFileSync(junk, 'junk', { mode: 0o600 })
    const { client, clientKey, root } = certificates
    for (const [query, setting] of [
      [`sslcert=${client}&sslkey=${locked}&sslpassword=wrong`, `sslkey=${locked} or sslpassword`],
      [`sslcert=${client}&sslkey=${junk}`, `sslkey=${junk}`],
      [`sslcert=${junk}&sslkey=${clientKey}`, `sslcert=${junk}`],
      [`sslrootcert=${root}&sslcrl=${junk}`, `sslcrl=${junk}`],
    ] as const) {
      const said = await protectionOf(urlOf({ query: `sslmode=require&${query}` }))
      expect(said).toContain(setting)
      expect(said).not.toContain('wrong')
    }
    const right = urlOf({
      query: `sslmode=require&sslcert=${client}&sslkey=${locked}&sslpassword=right`,
      user: 'by_cert',
    })
    expect(await protectionOf(right)).toBe('TLS')
  })

  test('many connections at once, and all of them again after the server has dropped them', async () => {
    const sql = connect({ url: urlOf({ query: 'sslmode=prefer' }), maxConnections: 6 })
    const askAll = () =>
      Promise.all(
        Array.from({ length: 30 }, () => sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`),
      )
    for (const [row] of await askAll()) expect(row!.ssl).toBe(true)
    const admin = connect({ url: urlOf({ query: 'sslmode=require' }), maxConnections: 1 })
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`
    await vi.waitFor(async () => expect(await askAll()).toHaveLength(30), 30_000)
    await Promise.all([sql.end(), admin.end()])
  })
})

test('a server of something else is not taken for a database because it speaks TLS at once', async () => {
  const [cert, key] = [certificates.server, certificates.serverKey].map((file) => readFileSync(file))
  const other = createTlsServer({ cert, key }, (socket) => socket.on('error', () => {}))
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const { port } = other.address() as AddressInfo
  const query = `sslmode=verify-full&sslnegotiation=direct&sslrootcert=${certificates.root}`
  const url = urlOf({ query }).replace(/localhost:\d+/, `localhost:${port}`)
  expect(await protectionOf(url)).toContain('the server did not agree to PostgreSQL')
  other.close()
})

describe('a server without TLS', () => {
  test.each([
    ['', 'plain'],
    ['sslmode=allow', 'plain'],
    ['sslmode=prefer', 'plain'],
    ['sslmode=require', NOT_OFFERED],
    ['sslmode=verify-ca', NOT_OFFERED],
    ['sslmode=verify-full', NOT_OFFERED],
  ])('"%s": %s', async (query, expected) => {
    const root = `&sslrootcert=${certificates.root}`
    const url = urlOf({ query: query + root, of: plainServer })
    expect(await protectionOf(url)).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    )
  })

  test('connections that fail are not lost: the pool works when the server is there', async () => {
    const { embedded } = plainServer
    const sql = connect({ url: embedded.url, maxConnections: 2 })
    await embedded.stop()
    for (let count = 0; count < 5; count++) {
      await expect(sql`select 1`).rejects.toMatchObject({
        code: expect.stringMatching(/^(ECONN|CONNECTION_)/),
      })
    }
    await embedded.ensureRunning()
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    await sql.end()
  })
})

describe('the commands', () => {
  interface Run {
    readonly code: number
    readonly stdout: string
    readonly stderr: string
  }

  function router(
    url: string,
    words: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<Run> {
    const config = join(folder, 'router.yaml')
    writeFileSync(
      config,
      `database: { url: "\${DATABASE_URL}" }
endpoints: [ { name: demo, hostname: router.localhost } ]
models:
  - id: demo
    contextLength: 8192
    pricing: { promptPer1mMicros: 1, completionPer1mMicros: 2 }
    endpoint: demo
    backends: [ { url: "http://127.0.0.1:1/v1" } ]
`,
    )
    const env = { ...process.env, DATABASE_URL: url, ...more }
    return new Promise((resolve) => {
      execFile(LAUNCHER, [...words, '--config', config], { env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
      })
    })
  }

  const migrate = ['db', 'migrate', '--json'] as const

  test('take the roots of the machine, and no weaker mode with them', async () => {
    const empty = mkdtempSync(join(folder, 'empty-'))
    const trusting = { SSL_CERT_FILE: certificates.root, SSL_CERT_DIR: empty }
    const url = (query: string, host?: string) => urlOf({ query, ...(host !== undefined && { host }) })
    expect(await router(url('sslrootcert=system'), migrate, trusting)).toMatchObject({ code: 0, stderr: '' })
    const wrongHost = await router(url('sslrootcert=system', '127.0.0.1'), migrate, trusting)
    expect([wrongHost.code, wrongHost.stderr]).toEqual([1, expect.stringContaining('database.url')])
    const strange = { ...trusting, SSL_CERT_FILE: certificates.strangeRoot }
    expect((await router(url('sslrootcert=system'), migrate, strange)).code).toBe(1)
    const weak = await router(url('sslmode=require&sslrootcert=system'), migrate, trusting)
    expect([weak.code, weak.stderr]).toEqual([
      4,
      expect.stringContaining('database.url: sslmode=require is too weak'),
    ])
  })

  test('trust nobody where the root file holds no certificate', async () => {
    const query = (text: string) => {
      writeFileSync(join(folder, 'blank.pem'), text)
      return urlOf({ query: `sslmode=verify-full&sslrootcert=${join(folder, 'blank.pem')}` })
    }
    // Node's own roots, which these join, are not those that were asked for.
    const more = { NODE_EXTRA_CA_CERTS: certificates.root }
    for (const text of ['', '\n', 'no certificate']) {
      const { code, stderr } = await router(query(text), migrate, more)
      expect([code, stderr]).toEqual([1, expect.stringContaining('blank.pem holds no certificate')])
    }
  })

  test('find a root file in its usual place, and then hold the server to it', async () => {
    const home = join(folder, 'home')
    mkdirSync(join(home, '.postgresql'), { recursive: true })
    const run = (query: string) => router(urlOf({ query }), migrate, { HOME: home })
    const without = await run('sslmode=verify-full')
    expect([without.code, without.stderr]).toEqual([1, expect.stringContaining('sslrootcert=')])
    copyFileSync(certificates.root, join(home, '.postgresql', 'root.crt'))
    expect(await run('sslmode=verify-full')).toMatchObject({ code: 0, stderr: '' })
    copyFileSync(certificates.strangeRoot, join(home, '.postgresql', 'root.crt'))
    expect((await run('sslmode=require')).code).toBe(1)
  })

  test.each([
    ['sslmode=no-verify', 'sslmode must be disable, allow, prefer, require, verify-ca, verify-full'],
    ['channel_binding=require', 'channel_binding=require cannot be kept'],
    ['sslcrldir=/x', 'sslcrldir is not supported'],
    ['SSLMODE=verify-full', 'SSLMODE is not supported'],
  ])('refuse %s wherever the file is read, and name it', async (query, message) => {
    for (const words of [['config', 'check'], ['run'], ['db', 'migrate'], ['workspace', 'list']]) {
      const { code, stdout, stderr } = await router(urlOf({ query }), words)
      expect([code, stdout]).toEqual([4, ''])
      expect(stderr).toContain(`database.url: ${message}`)
    }
  })
})
