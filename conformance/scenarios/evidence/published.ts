import { setTimeout as sleep } from 'node:timers/promises'
import { isObject } from '#base/object.ts'
import { limits } from '#contract/limits'
import * as assert from '../../engine/assert.ts'
import { showing, shows } from '../../engine/checks.ts'
import type { Context } from '../../engine/context.ts'
import { expectBundle, type ReadBundle, teeOf, wireDigest } from '../../engine/evidence.ts'
import {
  expectChat,
  expectError,
  expectModels,
  expectStatus,
  expectSubset,
  recordIn,
} from '../../engine/expect.ts'
import { type Exchange, objectOf } from '../../engine/http/exchange.ts'
import { addressFor } from '../../engine/invitations.ts'
import { askUntilRefused, expectLimited, mostIn } from '../../engine/limits.ts'
import { expectStream } from '../../engine/stream.ts'
import type { Topic } from '../../engine/topic.ts'
import { isPathGone } from '../../engine/turned-away.ts'
import { inWireForm } from '../../engine/universal/open.ts'

/** How long a router may take to find its database again (ours). */
const RECOVERY_MS = 20_000

const HOUR_MS = 3_600_000

/** So many ask at once until an address's budget is used up, however slowly they are answered (ours). */
const AT_ONCE = 20

export default {
  'any-page': {
    rules: ['EVID-07'],
    title: 'A page of any origin may read evidence',
    needs: ['feature:evidence'],
    subjects: ['router'],
    steps: [
      {
        operation: 'getEvidence',
        key: 'none',
        headers: { origin: 'https://anybody.example' },
        shows: { headers: ['EVID-07'] },
        expect: {
          headers: { 'access-control-allow-origin': { $oneOf: ['*', 'https://anybody.example'] } },
          body: { kind: 'DeploymentEvidence' },
        },
      },
    ],
  },

  'any-page-named': {
    rules: ['EVID-22'],
    title: 'Evidence and its refusals name no origin: any page may read them',
    needs: ['feature:evidence'],
    subjects: ['router'],
    expect: { headers: { 'access-control-allow-origin': '*' } },
    shows: { headers: ['EVID-22'] },
    steps: [
      { operation: 'getEvidence', key: 'none', headers: { origin: 'https://anybody.example' } },
      {
        operation: 'getEndpointEvidence',
        params: { endpoint: 'absent' },
        key: 'none',
        headers: { origin: 'https://anybody.example' },
        expect: { status: 404 },
      },
    ],
  },

  'archive-away': {
    rules: ['ERR-18'],
    title:
      'Evidence of an external endpoint that cannot be looked for is 500 internal, and relayed again later',
    needs: ['feature:upstreams', 'endpoint:external', 'databaseWire'],
    subjects: ['router'],
    isExclusive: true,
    async run(context) {
      const params = { endpoint: context.target.endpoints.external ?? '' }
      const read = () => context.request('getEndpointEvidence', { key: null, params })
      shows()
      expectStatus(await read(), 200)
      shows('ERR-18')
      await context.wire('databaseWire').cut()
      try {
        expectError(await read(), 'internal')
      } finally {
        await context.wire('databaseWire').mend()
      }
      await context.eventually('it is relayed again', async () => (await read()).status === 200, RECOVERY_MS)
    },
  },

  budget: {
    rules: ['LIM-28', 'LIM-29', 'LIM-31', 'LIM-39', 'EVID-27'],
    title: 'An address that asks too often is 429, told of its bucket and when that admits again',
    needs: ['feature:evidence', 'forwarded', 'generation'],
    // Through the proxy the platform says who asks.
    subjects: ['router'],
    async run(context) {
      // An address of its own, so that nobody else is kept out.
      const address = `203.0.113.${1 + context.random.below(250)}`
      const headers = { 'x-forwarded-for': address }
      const ask = () => context.request('getEvidence', { key: null, headers })
      let refused: Exchange | undefined
      shows('LIM-39')
      const sinceMs = Date.now()
      for (let admitted = 0; refused === undefined; ) {
        const answers = [...(await Promise.all(Array.from({ length: AT_ONCE }, ask))), await ask()]
        if (answers.at(-1)?.status !== 200) refused = answers.at(-1)
        admitted += answers.filter(({ status }) => status === 200).length
        const most = mostIn(Date.now() - sinceMs, limits.evidencePerMinute)
        assert.ok(admitted <= most, `${admitted} were answered where ${most} may be`)
      }
      expectError(refused, 'rate_limit_exceeded')
      shows('EVID-27')
      assert.equal(refused.headers['cache-control'], 'no-store')
      shows('LIM-29')
      const number = (name: string) => Number(refused?.headers[name])
      assert.equal(number('x-ratelimit-limit'), limits.evidencePerMinute)
      assert.equal(number('x-ratelimit-remaining'), 0)
      shows('LIM-28')
      const seconds = number('retry-after')
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After is ${seconds}`)
      const milliseconds = number('retry-after-ms')
      assert.ok(milliseconds > 0 && milliseconds <= seconds * 1_000, `retry-after-ms is ${milliseconds}`)
      shows('LIM-31')
      const resetInMs = number('x-ratelimit-reset') * 1_000 - Date.now()
      assert.ok(Math.abs(resetInMs) < 3_000, `X-RateLimit-Reset is ${resetInMs} ms away`)
      shows('LIM-39')
      expectStatus(
        await context.request('getEvidence', { key: null, headers: { 'x-forwarded-for': '203.0.113.254' } }),
        200,
      )
      shows()
      expectStatus(await context.chat({}, { headers }), 200)
      shows('LIM-28')
      await sleep(milliseconds)
      expectStatus(await ask(), 200)
    },
  },

  'budget-shared': {
    // The events that it speaks of belong to the console.
    rules: ['LIM-36'],
    title: 'An address may ask for evidence 120 times a minute, whichever endpoint it asks for',
    needs: ['feature:evidence', 'endpoint:own', 'forwarded'],
    // Through the proxy the platform says who asks.
    subjects: ['router'],
    async run(context) {
      const { own: endpoint = '' } = context.target.endpoints
      const headers = { 'x-forwarded-for': addressFor(`${context.nonce} reads`) }
      const ask = (turn: number) =>
        turn % 2 === 0
          ? context.request('getEvidence', { key: null, headers })
          : context.request('getEndpointEvidence', { key: null, headers, params: { endpoint } })
      // That the endpoint is found has rules of its own.
      shows()
      expectBundle(await context.request('getEndpointEvidence', { key: null, params: { endpoint } }))
      shows('LIM-36')
      const since = Date.now()
      for (let turn = 0; turn < limits.evidencePerMinute; turn++) expectStatus(await ask(turn), 200)
      const refused = await askUntilRefused(context, ask, limits.evidencePerMinute, since)
      expectLimited(refused, limits.evidencePerMinute)
    },
  },

  bytes: {
    rules: ['EVID-02', 'EVID-06', 'EVID-24'],
    title: 'Evidence is relayed byte for byte: its hash is that of the copy of the platform',
    needs: ['feature:evidence', 'platform'],
    // How often it looks before the two are of one signing is chance.
    isCompared: false,
    waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
    async run(context) {
      shows()
      const same = await context.eventually(
        'the relayed copy is the published one',
        async () => {
          const published = await context.published()
          const relayed = await context.request('getEvidence', { key: null })
          const isSameSigning =
            expectBundle(published).bundle.issuedAt === expectBundle(relayed).bundle.issuedAt
          return isSameSigning && { published, relayed }
        },
        context.target.limits.evidencePollMs * 4,
      )
      shows('EVID-02', 'EVID-06', 'EVID-24')
      assert.equal(wireDigest(same.relayed.body), wireDigest(same.published.body))
    },
  },

  'digest-follows': {
    rules: ['CHAT-09', 'CHAT-14'],
    title: 'usage.evidence_digest follows what is published, and older records keep theirs',
    needs: ['generation', 'feature:evidence', 'platform', 'platformControl'],
    subjects: ['router'],
    isExclusive: true,
    waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
    async run(context) {
      shows()
      const before = expectChat(await context.chat())
      const recorded = recordIn(await context.record(before.id)).evidence_digest
      await context.control('/rotate/deployment')
      try {
        const { payload } = expectBundle(await context.published())
        assert.notEqual(payload.evidenceDigest, inWireForm(before.usage.evidence_digest))
        shows('CHAT-09', 'CHAT-14')
        await context.eventually(
          'the new digest is told',
          async () =>
            inWireForm(expectChat(await context.chat()).usage.evidence_digest) === payload.evidenceDigest,
          context.target.limits.evidencePollMs * 4,
        )
        const record = recordIn(await context.record(before.id))
        assert.equal(record.evidence_digest, recorded, 'the record of before has another digest now')
      } finally {
        await context.control('/rotate/deployment', { restore: true })
      }
    },
  },

  'digest-notation': {
    rules: ['DIG-02'],
    title: 'Digests on the wire are sha256/ and base64url',
    needs: ['feature:evidence'],
    async run(context) {
      const { bundle, payload } = expectBundle(await context.request('getEvidence', { key: null }))
      // What usage is told in, people may read: that is left open.
      for (const digest of [bundle.certFingerprint, payload.evidenceDigest]) {
        assert.match(String(digest), /^sha256\/[A-Za-z0-9_-]{43}$/)
      }
    },
  },

  etag: {
    rules: ['EVID-23'],
    title: 'Evidence has a strong ETag or a Digest',
    needs: ['feature:evidence'],
    steps: [
      {
        operation: 'getEvidence',
        key: 'none',
        shows: { headers: ['EVID-23'] },
        expect: { headers: { etag: { $matches: '^"[^"]+"$' } }, body: { kind: 'DeploymentEvidence' } },
      },
    ],
  },

  held: {
    rules: ['EVID-06', 'EVID-24'],
    title: 'While the platform signs nothing anew, the relayed copy stays the published one, byte for byte',
    needs: ['feature:evidence', 'platform', 'platformControl', 'endpoint:own'],
    isCompared: false,
    isExclusive: true,
    waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
    async run(context) {
      shows()
      await context.control('/hold')
      try {
        const published = await context.published()
        const { issuedAt } = expectBundle(published).bundle
        const relayed = await context.eventually(
          'the held bundle is relayed',
          async () => {
            const exchange = await context.request('getEvidence', { key: null })
            return expectBundle(exchange).bundle.issuedAt === issuedAt && exchange
          },
          context.target.limits.evidencePollMs * 4,
        )
        shows('EVID-06', 'EVID-24')
        assert.equal(wireDigest(relayed.body), wireDigest(published.body))
        const { own = '' } = context.target.endpoints
        for (const endpoint of [own, expectBundle(published).bundle.hostname]) {
          const named = await context.request('getEndpointEvidence', { params: { endpoint }, key: null })
          // That it is found by either has rules of its own.
          showing([], () => expectStatus(named, 200))
          assert.equal(wireDigest(named.body), wireDigest(published.body), endpoint)
        }
      } finally {
        await context.control('/release')
      }
    },
  },

  'older-not-taken': {
    rules: ['EVID-05', 'EP-17', 'EVID-33'],
    title: 'A bundle that was issued before the one that is relayed does not take its place',
    needs: ['feature:evidence', 'platform', 'endpoint:published', 'publishEvidence'],
    isCompared: false,
    isExclusive: true,
    waitsMs: ({ evidencePollMs }) => evidencePollMs * 6,
    async run(context) {
      shows()
      const { published: endpoint = '' } = context.target.endpoints
      const [older, newer] = [await forge(context), await forge(context)]
      await publish(context, JSON.stringify(newer), newer.issuedAt)
      await context.hooks('publishEvidence', { endpoint, bundle: JSON.stringify(older) })
      // That nothing happens is not to be seen but by waiting.
      await sleep(context.target.limits.evidencePollMs * 4)
      const relayed = await context.request('getEndpointEvidence', { params: { endpoint }, key: null })
      shows('EVID-05', 'EP-17', 'EVID-33')
      assert.equal(expectBundle(relayed).bundle.issuedAt, newer.issuedAt)
    },
  },

  'written-loosely': {
    rules: ['EVID-02', 'EVID-06', 'EVID-24'],
    title: 'A bundle with white space, escapes and members in another order is relayed byte for byte',
    needs: ['feature:evidence', 'platform', 'endpoint:published', 'publishEvidence'],
    isCompared: false,
    isExclusive: true,
    waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
    async run(context) {
      shows()
      const forged = await forge(context)
      const backwards = Object.fromEntries(Object.entries(forged).toReversed())
      const loose = `\n${JSON.stringify(backwards, null, 3).replace('DeploymentEvidence', 'Deployment\\u0045vidence')}\r\n`
      const relayed = await publish(context, loose, forged.issuedAt)
      shows('EVID-02', 'EVID-06', 'EVID-24')
      assert.equal(relayed.body.toString(), loose)
      assert.equal(wireDigest(relayed.body), wireDigest(loose))
    },
  },

  'key-does-not-matter': {
    rules: ['AUTH-04'],
    title: 'Evidence needs no key, and a wrong one does no harm',
    needs: ['feature:evidence', 'endpoint:own'],
    async run(context) {
      for (const key of [null, 'sk-tee-v1-nonsense']) {
        const { kind } = expectBundle(await context.request('getEvidence', { key })).bundle
        assert.equal(kind, 'DeploymentEvidence')
        const { own = '' } = context.target.endpoints
        expectBundle(await context.request('getEndpointEvidence', { params: { endpoint: own }, key }))
      }
    },
  },

  newest: {
    rules: ['EVID-05', 'EP-17', 'EVID-33', 'EVID-32'],
    title:
      'The bundle issued last among those that were fetched is served, within the time between two fetches',
    needs: ['feature:evidence', 'platform', 'platformControl'],
    // How often it looks before the new one is there is chance.
    isCompared: false,
    isExclusive: true,
    waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
    async run(context) {
      shows()
      const before = expectBundle(await context.request('getEvidence', { key: null })).bundle.issuedAt
      await context.control('/resign')
      const published = expectBundle(await context.published()).bundle.issuedAt
      assert.ok(Date.parse(published) > Date.parse(before), 'the platform has not signed anew')
      shows('EVID-05', 'EP-17', 'EVID-32', 'EVID-33')
      await context.eventually(
        'the new bundle is relayed',
        async () => {
          const { issuedAt } = expectBundle(await context.request('getEvidence', { key: null })).bundle
          showing(['EVID-05', 'EVID-33'], () =>
            assert.ok(
              Date.parse(issuedAt) >= Date.parse(before),
              'an older bundle took the place of a newer one',
            ),
          )
          return Date.parse(issuedAt) >= Date.parse(published)
        },
        context.target.limits.evidencePollMs * 4,
      )
    },
  },

  'no-store': {
    rules: ['EVID-08', 'HDR-07'],
    title: 'Evidence says Cache-Control no-store',
    needs: ['feature:evidence', 'endpoint:own'],
    expect: { headers: { 'cache-control': 'no-store' }, body: { kind: 'DeploymentEvidence' } },
    steps: [
      { operation: 'getEvidence', key: 'none', shows: { headers: ['EVID-08', 'HDR-07'] } },
      {
        operation: 'getEndpointEvidence',
        params: { endpoint: '{{endpoint.own}}' },
        key: 'none',
        shows: { headers: ['HDR-07'] },
      },
    ],
  },

  'no-store-on-refusals': {
    rules: ['EVID-27'],
    title: 'Refusals of evidence say no-store, too',
    needs: ['feature:evidence'],
    shows: { headers: ['EVID-27'] },
    steps: [
      {
        operation: 'getEndpointEvidence',
        params: { endpoint: 'absent' },
        key: 'none',
        expect: { status: 404, headers: { 'cache-control': 'no-store' } },
      },
      {
        name: 'a name with a line end in it',
        operation: 'getEndpointEvidence',
        params: { endpoint: 'a%0Ab' },
        key: 'none',
        expect: { status: 404, headers: { 'cache-control': 'no-store' } },
      },
    ],
  },

  'no-verdict': {
    rules: ['EVID-04'],
    title: 'The router says nothing about the bundle: no verdict, no opinion, no digest of its own',
    needs: ['feature:evidence'],
    subjects: ['router'],
    async run(context) {
      const exchange = await context.request('getEvidence', { key: null })
      const { bundle } = expectBundle(exchange)
      assert.equal(exchange.headers['x-proxy-verdict'], undefined, 'the router claims a verdict')
      const words = /verdict|verified|trusted|admitted|attested|valid/i
      for (const name of [...Object.keys(exchange.headers), ...Object.keys(bundle)])
        assert.doesNotMatch(name, words)
    },
  },

  'not-fetched': {
    rules: ['EVID-26', 'EVID-27'],
    title: 'An endpoint of which nothing was fetched yet answers 503 with statusCode, reason and a message',
    needs: ['feature:evidence', 'endpoint:unfetched'],
    async run(context) {
      const { unfetched: endpoint = '' } = context.target.endpoints
      const exchange = await context.request('getEndpointEvidence', { params: { endpoint }, key: null })
      shows('EVID-26')
      expectStatus(exchange, 503)
      const { message, ...others } = objectOf(exchange)
      assert.deepEqual(others, { statusCode: 503, reason: 'evidence_not_fetched' })
      assert.equal(typeof message, 'string')
      shows('EVID-27')
      assert.equal(exchange.headers['cache-control'], 'no-store')
    },
  },

  'not-fetched-own': {
    rules: ['EVID-26', 'EVID-27'],
    title: 'The bare path, too, answers 503 while nothing of the own endpoint was fetched yet',
    needs: ['feature:evidence', 'spare'],
    subjects: ['router'],
    async run(context) {
      const exchange = await context.request('getEvidence', { key: null, baseUrl: context.target.spareUrl })
      shows('EVID-26')
      expectStatus(exchange, 503)
      expectSubset(objectOf(exchange), { statusCode: 503, reason: 'evidence_not_fetched' })
      shows('EVID-27')
      assert.equal(exchange.headers['cache-control'], 'no-store')
    },
  },

  'not-judged': {
    rules: ['EVID-31'],
    title:
      'The router does not judge its own endpoint: whatever is deployed, its models are listed and served',
    needs: ['generation', 'feature:evidence', 'platform', 'platformControl'],
    subjects: ['router'],
    isExclusive: true,
    waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
    async run(context) {
      await context.control('/rotate/deployment')
      try {
        shows()
        const { payload } = expectBundle(await context.published())
        const answer = await context.eventually(
          'the new deployment is published by the router',
          async () => {
            const exchange = await context.chat()
            const found = showing(['EVID-31'], () => expectChat(exchange))
            return inWireForm(found.usage.evidence_digest) === payload.evidenceDigest && found
          },
          context.target.limits.evidencePollMs * 4,
        )
        assert.equal(answer.model, context.model())
        shows('EVID-31')
        const ids = expectModels(await context.request('listModels')).map(({ id }) => id)
        assert.ok(ids.includes(context.model()), 'its model is not listed any more')
      } finally {
        await context.control('/rotate/deployment', { restore: true })
      }
    },
  },

  'nothing-published': {
    rules: ['CHAT-10'],
    title: 'With nothing published for the endpoint, usage.evidence_digest is null',
    needs: ['generation', 'model:unpublished'],
    async run(context) {
      const model = context.model('unpublished')
      const { usage } = expectChat(await context.chat({ model }))
      assert.equal(usage.evidence_digest, null)
    },
  },

  'own-endpoint': {
    rules: ['EVID-28'],
    title: 'The bare path speaks of the own endpoint that has the host of the public address',
    needs: ['feature:evidence', 'platform', 'endpoint:own'],
    async run(context) {
      const bare = expectBundle(await context.request('getEvidence', { key: null }))
      assert.equal(bare.bundle.hostname, context.target.platform?.hostname)
      const { own = '' } = context.target.endpoints
      const named = expectBundle(
        await context.request('getEndpointEvidence', { params: { endpoint: own }, key: null }),
      )
      assert.equal(named.bundle.hostname, bare.bundle.hostname)
    },
  },

  public: {
    rules: ['EVID-01', 'EP-16', 'EVID-20'],
    title: 'The bundle of the deployment is there for anybody, without a key',
    needs: ['feature:evidence'],
    steps: [
      {
        operation: 'getEvidence',
        key: 'none',
        shows: { status: ['EVID-01', 'EP-16'], body: ['EVID-01', 'EVID-20'] },
        expect: {
          body: {
            kind: 'DeploymentEvidence',
            jws: { $matches: '^[A-Za-z0-9_-]+[.]' },
          },
        },
      },
    ],
  },

  'refusal-shape': {
    rules: ['EVID-21'],
    title: 'The refusal of evidence is not the error object of the other paths',
    needs: ['feature:evidence'],
    steps: [
      {
        operation: 'getEndpointEvidence',
        params: { endpoint: 'absent' },
        key: 'none',
        expect: {
          status: 404,
          body: { statusCode: 404, message: { $type: 'string' }, error: { $absent: true } },
        },
      },
    ],
  },

  'tee-label': {
    rules: ['MODL-07', 'MODL-09'],
    title: 'endpoint.tee says nothing else than the published evidence of the endpoint names',
    needs: ['key', 'feature:evidence', 'endpoint:own'],
    async run(context) {
      const read = expectBundle(await context.request('getEvidence', { key: null }))
      const exchange = await context.request('getModel', { params: { id: context.model() } })
      expectStatus(exchange, 200)
      const { endpoint } = objectOf(exchange)
      const told = isObject(endpoint) ? endpoint.tee : undefined
      const label = teeOf(read)
      shows('MODL-07', 'MODL-09')
      // A router need not know what the suite can read, nor the suite all that a platform may publish.
      assert.ok(told === null || told === label || label === null, `the label is ${told}, not ${label}`)
    },
  },

  undecided: {
    rules: ['EVID-19'],
    title: 'A router that cannot tell which endpoint is its own refuses the bare path with 404',
    needs: ['feature:evidence', 'sibling', 'endpoint:own'],
    subjects: ['router'],
    async run(context) {
      const baseUrl = context.target.siblingUrl
      const refused = await context.request('getEvidence', { key: null, baseUrl })
      expectStatus(refused, 404)
      // What stands in it, and that each can be had by its name all the same, has rules of its own.
      shows()
      const { statusCode, message } = objectOf(refused)
      assert.equal(statusCode, 404)
      assert.equal(typeof message, 'string')
      const { own: endpoint = '' } = context.target.endpoints
      expectBundle(await context.request('getEndpointEvidence', { params: { endpoint }, key: null, baseUrl }))
    },
  },

  'unknown-endpoint': {
    rules: ['EVID-17', 'EVID-18'],
    title: 'An endpoint that the router does not know is refused with 404, statusCode and a message',
    needs: ['feature:evidence'],
    operation: 'getEndpointEvidence',
    shows: { status: ['EVID-17', 'EVID-18'], body: ['EVID-17'] },
    expect: { status: 404, body: { statusCode: 404, message: { $type: 'string' } } },
    steps: [
      { params: { endpoint: 'absent' }, key: 'none' },
      { params: { endpoint: 'absent.example.com' }, key: 'none' },
      { name: 'a name with a line end in it', params: { endpoint: 'a\nb' }, key: 'none' },
    ],
  },

  unsigned: {
    rules: ['EVID-03'],
    title:
      'A bundle whose signature is worth nothing is relayed as it was published: the router validates none',
    needs: ['feature:evidence', 'platform', 'endpoint:published', 'publishEvidence'],
    isCompared: false,
    isExclusive: true,
    waitsMs: ({ evidencePollMs }) => evidencePollMs * 2,
    async run(context) {
      shows()
      const forged = await forge(context)
      shows('EVID-03')
      const relayed = await publish(context, JSON.stringify(forged), forged.issuedAt)
      assert.equal(wireDigest(relayed.body), wireDigest(JSON.stringify(forged)))
    },
  },

  'usage-digest': {
    rules: ['CHAT-09', 'CHAT-14', 'GEN-04'],
    title: 'usage.evidence_digest is the digest that stands published for the endpoint',
    needs: ['generation', 'feature:evidence'],
    async run(context) {
      shows()
      const { payload } = expectBundle(await context.request('getEvidence', { key: null }))
      const { id, usage } = expectChat(await context.chat())
      shows('CHAT-09', 'CHAT-14')
      assert.equal(inWireForm(usage.evidence_digest), payload.evidenceDigest)
      shows('GEN-04')
      const record = recordIn(await context.record(id))
      assert.equal(inWireForm(record.evidence_digest), payload.evidenceDigest)
      shows('CHAT-09', 'CHAT-14')
      const stream = expectStream(
        await context.chat({ stream: true, stream_options: { include_usage: true } }),
      )
      assert.equal(inWireForm(stream.usage?.evidence_digest), payload.evidenceDigest)
    },
  },
} satisfies Topic

/** A bundle for the endpoint that anything can be published of: newer than all that were, and signed by nobody. */
async function forge(context: Context): Promise<ReadBundle['bundle']> {
  const { published: endpoint = '' } = context.target.endpoints
  const { bundle, payload } = expectBundle(await context.published())
  assert.match(String(payload.evidenceDigest), /^sha256\//, 'what is published names no digest')
  // A later time than any that was published here before.
  const issuedAt = new Date(Date.now() - HOUR_MS).toISOString()
  const named = { hostname: `${endpoint}.localhost`, issuedAt }
  const [head, , signature] = bundle.jws.split('.')
  const claims = Buffer.from(JSON.stringify({ ...payload, ...named })).toString('base64url')
  return { ...bundle, ...named, jws: `${head}.${claims}.${signature}` }
}

/** Publishes these bytes, and gives what is relayed once it is the bundle of that time. */
async function publish(context: Context, bundle: string, issuedAt: string): Promise<Exchange> {
  const { published: endpoint = '' } = context.target.endpoints
  await context.hooks('publishEvidence', { endpoint, bundle })
  return context.eventually(
    'the published bundle is relayed',
    async () => {
      const relayed = await context.request('getEndpointEvidence', { params: { endpoint }, key: null })
      // Who asks for a key, or has no such path, is not waited for.
      if (relayed.status === 401 || isPathGone(relayed)) expectStatus(relayed, 200)
      return relayed.status === 200 && expectBundle(relayed).bundle.issuedAt === issuedAt && relayed
    },
    context.target.limits.evidencePollMs * 8,
  )
}
