import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, test } from 'vitest'
import type {
  AttestedRootConfig,
  EvidenceBundle,
  RunningProxyOutput,
  VerifierAnswer,
  VerifierRequest,
} from '#contract/models'
import { HOSTNAME } from '#egress/testing/identity.ts'
import {
  type PlatformReady,
  type Program,
  startPlatform,
  startProgram,
  temporaryFolder,
} from '../testing/programs.ts'
import { ask } from '../testing/world.ts'
import { answer } from '../verifier/answer.ts'

type Tee = 'snp' | 'tdx'
type Condition = AttestedRootConfig['measurements'][number]

const EVIDENCE = '/.well-known/platform-evidence'
const accepted = { id: 'simulated', outcome: 'accept', stage: null, reason: null }

let forwarded = 0
let upstream = ''

beforeAll(async () => {
  const server = createServer((_, response) => {
    forwarded += 1
    response.end('{"object":"list","data":[]}')
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return () => void server.close()
})

test.each(['snp', 'tdx'] as const)(
  'simulated %s hardware is refused as nobody’s by a proxy that demands hardware, and no matter to one that does not',
  async (simulateTee) => {
    const platform = await startPlatform(upstream, { simulateTee })
    const { quote, bytes } = await fetchEvidence(platform)
    expect(quote).toMatchObject({ status: 'simulated' })
    const guest = guestOf(simulateTee, quote.data)
    const demanding = await startProxy(platform, { attested: { measurements: [guest] } })
    const before = forwarded
    const refused = await ask(demanding)
    expect(refused.status).toBe(503)
    expect(JSON.parse(refused.text)).toMatchObject({
      error: { code: 'attestation_failed' },
      stage: 'untrusted-root',
      reason: 'endorsement_invalid',
    })
    expect(forwarded).toBe(before)
    expect(await ask(await startProxy(platform, {}))).toMatchObject({ status: 200 })
    // The quote itself is whole: whoever took the played vendor for one would accept it, about this root alone.
    expect(await verdictOn(platform, bytes, guest)).toEqual(accepted)
    const other = {
      ...guest,
      [simulateTee === 'snp' ? 'measurement' : 'rtmr2']: '00'.repeat(48),
    } as Condition
    expect(await verdictOn(platform, bytes, other)).toMatchObject({ reason: 'measurement_not_listed' })
  },
)

test('unless it is asked to simulate, the platform says that there is no quote', async () => {
  const { quote } = await fetchEvidence(await startPlatform(upstream))
  expect(quote).toEqual({ status: 'not-implemented' })
})

async function startProxy({ ready }: Program<PlatformReady>, demand: object): Promise<{ port: number }> {
  const endpoint = {
    name: 'demo',
    listen: { port: 0 },
    url: `https://${HOSTNAME}:${new URL(ready.url).port}/v1`,
    roots: [{ file: ready.root_pem_file, ...demand }],
    pins: [ready.evidence_digest],
  }
  const config = { dataDir: temporaryFolder(), endpoints: [endpoint] }
  const program = await startProgram<RunningProxyOutput>('proxy', config)
  return { port: Number(new URL(program.ready.address).port) }
}

async function fetchEvidence({ ready }: Program<PlatformReady>) {
  const bytes = await new Promise<string>((resolve, reject) => {
    const ca = readFileSync(ready.root_pem_file)
    const asked = request(`${ready.url}${EVIDENCE}`, { ca, servername: HOSTNAME, agent: false })
    asked.on('response', (response) => resolve(text(response))).on('error', reject)
    asked.end()
  })
  const bundle = JSON.parse(bytes) as EvidenceBundle
  return { bytes, quote: bundle.rootCaTeeQuote as { readonly data: string } }
}

/** The guest that a quote is about, as its user would list it. */
function guestOf(tee: Tee, data: string): Condition {
  const quote = Buffer.from(data, 'base64')
  const hex = (at: number) => quote.subarray(at, at + 48).toString('hex')
  if (tee === 'tdx') return { tee, mrtd: hex(48 + 136), rtmr1: hex(48 + 376), rtmr2: hex(48 + 424) }
  const minimumTcb = { bootloader: 10, tee: 0, snp: 23, microcode: 84 }
  return { tee, product: 'Genoa', measurement: hex(0x90), minimumTcb }
}

/** What our verifier says where the vendor that is played counts as one, which only a vector can have. */
function verdictOn(
  { ready }: Program<PlatformReady>,
  bundle: string,
  guest: Condition,
): Promise<VerifierAnswer> {
  const vendor = readFileSync(join(dirname(ready.root_pem_file), 'simulated-vendor.pem'), 'utf8')
  const [root = '', authority = root] = vendor.split(/(?<=-----END CERTIFICATE-----\n)/)
  const asked: VerifierRequest = {
    version: 1,
    id: 'simulated',
    bundle: Buffer.from(bundle).toString('base64'),
    hostname: HOSTNAME,
    roots: [
      {
        pem: readFileSync(ready.root_pem_file, 'utf8'),
        require_leaf_name: false,
        attested: { measurements: [guest] },
      },
    ],
    pins: [ready.evidence_digest],
    observed_leaf: (JSON.parse(bundle) as EvidenceBundle).certFingerprint,
    accept_producer_asserted: false,
    now: new Date().toISOString(),
    max_bundle_age_ms: 600_000,
    newest_issued_at: null,
    test_vendors:
      guest.tee === 'tdx'
        ? { intel: root }
        : { amd: [{ product: 'Genoa', ark: root, vcek: authority, vlek: authority }] },
  }
  return answer(JSON.stringify(asked))
}
