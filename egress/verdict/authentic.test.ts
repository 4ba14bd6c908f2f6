import { afterEach, expect, test } from 'vitest'
import { digestOf } from '#attestation'
import { goodChain, HOSTNAME, makeChain, NOW } from '../../attestation/testing/chains.ts'
import { type Changes, makeBundle, SNAPSHOT, SNAPSHOT_DIGEST } from '../../attestation/testing/evidence.ts'
import { systemClock } from '../clock.ts'
import { createAttest } from '../evidence/attest.ts'
import { createCheck } from '../evidence/check.ts'
import { startGateway } from '../testing/gateway.ts'
import { createIdentity, type Identity } from '../testing/identity.ts'
import { Attestor } from './attestor.ts'
import { upstreamRules } from './verdict.ts'

/** The endpoint's certificate, the one that it renews it by, and the one of somebody on the way. */
const [admitted, renewed, stranger] = [createIdentity(), createIdentity(), createIdentity()] as const
/** What the endpoint's bundles are signed under, and what anybody can make. */
const [chain, foreignChain] = [goodChain(), makeChain()] as const
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close()
})

const FIRST = '2026-06-01T11:58:30.250Z'
const BEFORE = '2026-06-01T11:40:00.000Z'
const LATER = '2026-06-01T11:59:30.250Z'

/** A bundle as the endpoint would sign it for a certificate, but for what is changed. */
function bundleFor({ fingerprint }: Identity, issuedAt: string, changes: Changes = {}): Uint8Array {
  const copies = { certFingerprint: fingerprint, issuedAt }
  return makeBundle({
    chain,
    ...changes,
    payload: { ...copies, ...changes.payload },
    envelope: { ...copies, ...changes.envelope },
  })
}

const genuine = bundleFor(admitted, FIRST)
const another = digested({ ...SNAPSHOT, version: 3 })
const forged = { evidenceDigest: digestOf('something else') }

interface Answer {
  readonly status?: number
  readonly body?: Uint8Array | string
}

/** An endpoint that was admitted a moment ago, as a router knows it. */
async function startWorld() {
  let answer: Answer = { body: genuine }
  const gateway = await startGateway(admitted, (_, response) => {
    response.writeHead(answer.status ?? 200, { location: '/elsewhere' }).end(answer.body)
  })
  const target = { hostname: HOSTNAME, host: '127.0.0.1', port: gateway.port }
  const der = chain.certificates.at(-1)!
  const roots = [{ der, fingerprint: digestOf(der), requireLeafName: true }]
  const expected = { roots, pins: [SNAPSHOT_DIGEST], maxBundleAgeMs: 3_600_000 }
  const told: boolean[] = []
  let [now, newest] = [NOW, undefined as Date | undefined]
  const attestor = new Attestor({
    attest: createCheck({
      attest: (...asked) => createAttest(target, () => now)(...asked),
      expected: () => expected,
      memory: {
        newestIssuedAt: () => newest,
        record({ admission: { issuedAt } }) {
          newest = issuedAt
          return 'recorded'
        },
      },
      onThrown: (error) => expect.unreachable(String(error)),
    }),
    clock: systemClock,
    rules: upstreamRules,
    onVerdict: () => {},
    onCheck: (_, isForeign) => void told.push(isForeign),
    onThrown: (error) => expect.unreachable(String(error)),
  })
  open.push(gateway, { close: async () => attestor.stop() })
  await attestor.attest()
  expect(attestor.verdict.state).toBe('admitted')
  return {
    attestor,
    /** Whether the last check was told to be somebody else's answer. */
    told: () => told.at(-1),
    /** Answers over a certificate from now on, and is checked. */
    async answer(identity: Identity, next: Answer, at = NOW) {
      gateway.rotate(identity)
      answer = next
      now = at
      await attestor.attest()
      const { verdict } = attestor
      return verdict.state === 'admitted' ? [verdict.state] : [verdict.state, verdict.ground.reason]
    },
  }
}

const AN_HOUR_LATER = new Date('2026-06-01T13:30:00Z')

/** What somebody can answer who has no key but his own. */
const strangers: [string, Answer, Date?][] = [
  ['404', { status: 404 }],
  ['a redirect', { status: 302 }],
  ['a portal’s page', { body: '<html></html>' }],
  ['an empty object', { body: '{}' }],
  ['too much', { body: ' '.repeat(2_000_000) }],
  ['a bundle under a root of his own', { body: bundleFor(stranger, LATER, { chain: foreignChain }) }],
  ['a forged signature', { body: bundleFor(stranger, LATER, { signature: () => Buffer.alloc(64) }) }],
  [
    'another hostname’s bundle',
    {
      body: bundleFor(stranger, LATER, {
        payload: { hostname: 'other.example' },
        envelope: { hostname: 'other.example' },
      }),
    },
  ],
  [
    'another hostname’s bundle in an envelope for this one',
    { body: bundleFor(stranger, LATER, { payload: { hostname: 'other.example', ...forged } }) },
  ],
  [
    'another document that was signed',
    { body: bundleFor(stranger, LATER, { payload: { kind: 'Receipt' } }) },
  ],
  ['a later version that was signed', { body: bundleFor(stranger, LATER, { payload: { version: 2 } }) }],
  [
    'today’s bundle in an envelope that names him',
    { body: bundleFor(admitted, FIRST, { envelope: { certFingerprint: stranger.fingerprint } }) },
  ],
  [
    'today’s bundle in an envelope of another time',
    { body: bundleFor(admitted, FIRST, { envelope: { issuedAt: LATER } }) },
  ],
  [
    'today’s bundle in an envelope of another version',
    { body: bundleFor(admitted, FIRST, { envelope: { version: 2 } }) },
  ],
  ['today’s bundle once it is stale', { body: genuine }, AN_HOUR_LATER],
  ['today’s bundle before its time', { body: bundleFor(admitted, LATER) }, new Date('2026-06-01T11:30:00Z')],
]

test.each(strangers)(
  '%s over a stranger’s certificate moves no verdict, and is told',
  async (_, answer, at) => {
    const world = await startWorld()
    const { verdict } = world.attestor
    expect(await world.answer(stranger, answer, at)).toEqual(['admitted'])
    expect(world.attestor.verdict).toBe(verdict)
    const isOld = answer.body !== undefined && /an old bundle/.test(_)
    expect(world.told()).toBe(!isOld)
  },
)

test.each<[string, Answer]>([
  ['an old bundle of another deployment', { body: bundleFor(stranger, BEFORE, { payload: another }) }],
  ['an old bundle that does not hold', { body: bundleFor(stranger, BEFORE, { payload: forged }) }],
  ['today’s bundle', { body: genuine }],
  ['today’s bundle with more members', { body: bundleFor(admitted, FIRST, { envelope: { more: [1] } }) }],
  ['a new bundle of another deployment', { body: bundleFor(renewed, LATER, { payload: another }) }],
])('%s over a stranger’s certificate moves none either, as when a platform renews', async (_, answer) => {
  const world = await startWorld()
  expect(await world.answer(stranger, answer)).toEqual(['admitted'])
})

test.each<[string, Answer, string, Date?]>([
  ['404', { status: 404 }, 'http_status'],
  ['a redirect', { status: 302 }, 'redirected'],
  ['a page', { body: '<html></html>' }, 'not_json'],
  [
    'a bundle under another root',
    { body: bundleFor(admitted, LATER, { chain: foreignChain }) },
    'root_not_trusted',
  ],
  [
    'a signature that does not hold',
    { body: bundleFor(admitted, LATER, { signature: () => Buffer.alloc(64) }) },
    'signature_invalid',
  ],
  [
    'another envelope',
    { body: bundleFor(admitted, FIRST, { envelope: { issuedAt: LATER } }) },
    'envelope_mismatch',
  ],
  ['a stale bundle', { body: genuine }, 'bundle_stale', AN_HOUR_LATER],
  ['another deployment', { body: bundleFor(admitted, LATER, { payload: another }) }, 'digest_not_pinned'],
])('%s over the admitted certificate denies, and for good', async (_, answer, reason, at) => {
  const world = await startWorld()
  expect(await world.answer(admitted, answer, at)).toEqual(['denied', reason])
  expect(await world.answer(admitted, { body: bundleFor(admitted, LATER) })).toEqual(['denied', reason])
  expect(world.attestor.verdict).toMatchObject({ isSticky: true })
  expect(world.told()).toBe(false)
})

test('what the endpoint signed itself denies over whatever certificate it comes', async () => {
  const world = await startWorld()
  const body = bundleFor(renewed, LATER, { payload: forged })
  expect(await world.answer(stranger, { body })).toEqual(['denied', 'digest_mismatch'])
  const other = await startWorld()
  const unpinned = bundleFor(renewed, LATER, { payload: another })
  expect(await other.answer(renewed, { body: unpinned })).toEqual(['denied', 'digest_not_pinned'])
})

/** A snapshot with the digest that is right for it. */
function digested(evidence: object) {
  return { evidence, evidenceDigest: digestOf(canonical(evidence)) }
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`
}
