import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createIdentity, HOSTNAME } from '../../egress/testing/identity.ts'
import { answering, type RawServer, startRawServer } from '../../egress/testing/raw-server.ts'
import { fetchBundle } from './fetch.ts'

const identity = createIdentity()
const open: RawServer[] = []
let folder = ''
let caFile = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'publication-'))
  caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, identity.pem)
})

afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

afterAll(() => rmSync(folder, { recursive: true }))

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n'
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'
const HINT = 'HTTP/1.1 103 Early Hints\r\n\r\n'

async function fetchFrom(text: string, { isEnding = true, timeoutMs = 10_000 } = {}): Promise<string> {
  const server = await startRawServer(identity, answering(text, { isEnding }))
  open.push(server)
  const url = `https://127.0.0.1:${server.port}/evidence`
  return (await fetchBundle({ hostname: HOSTNAME, url, caFile }, timeoutMs)).toString()
}

test('a bundle comes as it was published, after whatever was said before it', async () => {
  expect(await fetchFrom(`${HEAD}\r\n{}`)).toBe('{}')
  expect(await fetchFrom(`HTTP/1.1 100 Continue\r\n\r\n${HINT}${HEAD}\r\n{}`)).toBe('{}')
})

test.each([
  ['another protocol', SWITCH, true],
  ['another protocol, held open', SWITCH, false],
  ['information alone', HINT, true],
  ['a flood of information', HINT.repeat(10_000), false],
  ['nothing', '', true],
  ['half a head', 'HTTP/1.1 200 OK\r\nx-', true],
  ['half a body', `${HEAD}\r\n{`, true],
  ['another status', 'HTTP/1.1 404 Not Found\r\n\r\n', false],
])('%s ends a reading of the router’s own evidence at once', async (_, text, isEnding) => {
  await expect(fetchFrom(text, { isEnding })).rejects.toThrow(Error)
})

test.each([
  ['before its head', ''],
  ['in its body', `${HEAD}\r\n{`],
])('silence %s ends it in time', async (_, text) => {
  await expect(fetchFrom(text, { isEnding: false, timeoutMs: 300 })).rejects.toThrow(/timeout/)
})
