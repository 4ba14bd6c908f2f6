import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { digestOf, toHex } from '#attestation'
import { createIdentity, HOSTNAME } from '#egress/testing/identity.ts'
import { answering, startRawServer } from '#egress/testing/raw-server.ts'
import { runProxy, temporaryFolder } from '../testing/programs.ts'

const identity = createIdentity()

/** Exit codes that are part of the contract; Node's 13 for a promise that never settles is none of them. */
const FAILED = 1
const REFUSED = 3

const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'

/** An endpoint that ends every connection in this way, and the files of somebody who uses it. */
async function startWorld(text: string, isEnding: boolean) {
  const server = await startRawServer(identity, answering(text, { isEnding }))
  onTestFinished(() => server.close())
  const folder = temporaryFolder()
  const root = join(folder, 'root.pem')
  writeFileSync(root, identity.pem)
  const url = `https://${HOSTNAME}:${server.port}`
  const pin = toHex(digestOf('a deployment'))
  const endpoint = {
    name: 'main',
    listen: { port: 0 },
    url: `${url}/v1`,
    roots: [{ file: root }],
    pins: [pin],
  }
  const config = join(folder, 'proxy.yaml')
  writeFileSync(config, JSON.stringify({ dataDir: folder, endpoints: [endpoint] }))
  return { url, root, pin, config }
}

test.each([
  ['switches protocols', SWITCH, false],
  ['switches protocols and closes', SWITCH, true],
  ['closes without a word', '', true],
  ['informs and closes', 'HTTP/1.1 103 Early Hints\r\n\r\n', true],
])('whatever asks an endpoint that %s ends with an exit code of its own', async (_, text, isEnding) => {
  const { url, root, pin, config } = await startWorld(text, isEnding)
  const runs = await Promise.all([
    runProxy('verify', url, '--root', root, '--pin', pin),
    runProxy('discover', url),
    runProxy('doctor', '--config', config),
    runProxy('pin', 'add', url, '--config', config),
    runProxy('pin', 'diff', url, url, '--config', config),
  ])
  for (const { code, stderr } of runs) {
    expect([REFUSED, FAILED]).toContain(code)
    expect(stderr).not.toContain('unsettled')
  }
  expect(runs.slice(0, 4).map(({ code }) => code)).toEqual([REFUSED, REFUSED, REFUSED, REFUSED])
})

test.each([
  [REFUSED, ['verify', 'bundle.json', '--hostname', HOSTNAME]],
  [0, ['--help']],
])('a reader that leaves early changes no exit code: %i', async (code, args) => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'bundle.json'), '{}')
  const command = join(import.meta.dirname, '..', '..', 'bin', 'proxy')
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  const [[ended], told] = await Promise.all([once(child, 'exit'), text(child.stderr)])
  expect([ended, told]).toEqual([code, ''])
})
