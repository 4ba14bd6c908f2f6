import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { HardwareCondition } from '#attestation'
import type { RunningProxyOutput, SimulatedTee } from '#contract/models'
import { HOSTNAME } from '#egress/testing/identity.ts'
import { generationId, linesOf } from '../proxy/journal/testing.ts'
import { startPlatform, startProgram, temporaryFolder } from '../proxy/testing/programs.ts'
import { playedAsReal, reading } from './edited.ts'
import { guests, strangers } from './played-guests.ts'

// Programs as they are installed. The proxy alone reads otherwise who a vendor of hardware is: of real hardware nobody
// here has the key of a root.

const LAUNCHER = fileURLToPath(new URL('../bin/proxy', import.meta.url))
const run = promisify(execFile)
const GENERATION = generationId(1)

/** A router that answers everything with one generation. */
async function startAnswering(): Promise<{ readonly url: string; count(): number }> {
  let count = 0
  const server = createServer((_, response) => {
    count += 1
    response.writeHead(200, { 'content-type': 'application/json', 'x-router-generation-id': GENERATION })
    response.end(JSON.stringify({ id: GENERATION, model: 'm', choices: [] }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count: () => count }
}

/** A platform that plays hardware, and a proxy to whom its vendor is a real one. */
async function startWorld(simulateTee: SimulatedTee, demanded: HardwareCondition) {
  const router = await startAnswering()
  const { ready } = await startPlatform(router.url, { simulateTee })
  const env = reading([playedAsReal(ready.root_pem_file)])
  const folder = temporaryFolder()
  const url = `https://${HOSTNAME}:${new URL(ready.url).port}/v1`
  const config = (guest: HardwareCondition) => ({
    dataDir: folder,
    admin: { port: 0 },
    endpoints: [
      {
        name: 'demo',
        listen: { port: 0 },
        url,
        roots: [{ file: ready.root_pem_file, attested: { measurements: [guest] } }],
        pins: [ready.evidence_digest],
      },
    ],
  })
  const proxy = await startProgram<RunningProxyOutput>('proxy', config(demanded), env)
  return {
    folder,
    url,
    router,
    platform: ready,
    adminUrl: proxy.ready.admin_url,
    config: proxy.file,
    demand: (guest: HardwareCondition) => writeFileSync(proxy.file, JSON.stringify(config(guest))),
    ask: () =>
      fetch(`${proxy.ready.address}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer sk-tee-v1-x' },
        body: JSON.stringify({ model: 'm', messages: [] }),
      }),
    async command(...words: readonly string[]): Promise<Record<string, unknown>> {
      const { stdout } = await run(LAUNCHER, [...words, '--json'], { env: { ...process.env, ...env } })
      return JSON.parse(stdout) as Record<string, unknown>
    },
  }
}

test.each(['snp', 'tdx'] as const)(
  'what an admitted verdict saw of the hardware is told wherever verdicts are told: %s',
  async (simulateTee) => {
    const guest = guests[simulateTee]
    const { platform, url, folder, config, ...world } = await startWorld(simulateTee, guest)
    expect((await world.ask()).status).toBe(200)
    const seen = {
      format: simulateTee === 'snp' ? 'amd-sev-snp-report' : 'intel-tdx-quote-v4',
      product: simulateTee === 'snp' ? 'Genoa' : 'TDX',
      chip_id_hash: expect.stringMatching(/^sha256\//),
      endorsed_until: expect.any(String),
    }

    const whom = ['--root', platform.root_pem_file, '--pin', platform.evidence_digest]
    const demand = join(folder, 'guests.yaml')
    writeFileSync(demand, JSON.stringify({ measurements: [guest] }))
    expect(await world.command('verify', url, ...whom, '--attested', demand)).toMatchObject({
      hardware: seen,
    })
    expect(await world.command('discover', url, '--root', platform.root_pem_file)).toMatchObject({
      hardware: seen,
      attested: { measurements: [guest] },
    })
    expect(await world.command('status', '--admin', `${world.adminUrl}`)).toMatchObject({
      endpoints: [{ verdict: { hardware: seen } }],
    })
    const page = await (await fetch(`${world.adminUrl}/`)).text()
    expect(page).toContain(simulateTee === 'snp' ? 'AMD SEV-SNP, Genoa' : 'Intel TDX')

    const lines = linesOf(join(folder, 'journal.jsonl')).map((line) => JSON.parse(line))
    expect(lines).toContainEqual(expect.objectContaining({ hardware: expect.objectContaining(seen) }))
    const out = join(folder, 'one.json')
    await world.command('capsule', GENERATION, '--config', config, '--out', out)
    expect(await world.command('verify', out, ...whom, '--attested', demand)).toMatchObject({
      holds: true,
      hardware: seen,
      claims: { attested: [{ measurements: [guest] }] },
    })
    // A chip's number would name a machine.
    for (const file of [out, join(folder, 'journal.jsonl')])
      expect(readFileSync(file, 'utf8')).not.toMatch(/"chip_?id"/i)
  },
)

test.each(['snp', 'tdx'] as const)(
  'a measurement that is taken out of the configuration withdraws the verdict that rests on it: %s',
  async (simulateTee) => {
    const world = await startWorld(simulateTee, guests[simulateTee])
    expect((await world.ask()).status).toBe(200)
    world.demand(strangers[simulateTee])
    await vi.waitFor(async () => expect((await world.ask()).status).toBe(503), {
      timeout: 60_000,
      interval: 100,
    })
    const served = world.router.count()
    expect(await (await world.ask()).json()).toMatchObject({
      stage: 'untrusted-root',
      reason: 'measurement_not_listed',
    })
    expect(world.router.count()).toBe(served)
    world.demand(guests[simulateTee])
    await vi.waitFor(async () => expect((await world.ask()).status).toBe(200), {
      timeout: 60_000,
      interval: 100,
    })
  },
)
