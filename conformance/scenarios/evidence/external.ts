import * as assert from '../../engine/assert.ts'
import { shows } from '../../engine/checks.ts'
import { expectBundle } from '../../engine/evidence.ts'
import { expectStatus } from '../../engine/expect.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import type { Topic } from '../../engine/topic.ts'
import { upstreamNeeds, withUnreachable, withUpstream } from '../../engine/upstream.ts'

export default {
  external: {
    rules: ['EVID-11', 'EVID-14', 'EVID-15', 'EVID-09', 'HDR-07'],
    title:
      'Of an external endpoint the publication is relayed that its last verdict named, byte for byte, when it is denied or disabled too',
    needs: upstreamNeeds,
    isExclusive: true,
    // Each run has a gateway of its own, and so other bytes.
    isCompared: false,
    run: (context) =>
      withUpstream(context, async (upstream) => {
        const { gateway } = upstream
        const read = () =>
          context.request('getEndpointEvidence', { key: null, params: { endpoint: upstream.name } })
        for (const state of ['admitted', 'denied', 'disabled'] as const) {
          await upstream.set(state)
          const relayed = await read()
          shows(
            ...(state === 'admitted' ? (['EVID-09', 'EVID-11'] as const) : (['EVID-14', 'EVID-15'] as const)),
          )
          expectStatus(relayed, 200)
          if (state === 'admitted') shows('EVID-11')
          const isOne = gateway.published.some((bytes) => bytes.equals(relayed.body))
          assert.ok(isOne, `while it is ${state} something is relayed that was never published`)
          shows('HDR-07')
          assert.equal(relayed.headers['cache-control'], 'no-store')
        }
      }),
  },

  'external-never-admitted': {
    rules: ['EVID-29'],
    title: 'An external endpoint that was never admitted answers 503 evidence_not_fetched',
    needs: ['feature:upstreams', 'registerUpstream', 'setVerdict'],
    // Its name is another each time, for an admission would stay for good.
    isCompared: false,
    run: (context) =>
      withUnreachable(context, `never-${context.subject}-${context.random.word(12)}`, async (endpoint) => {
        const refused = await context.request('getEndpointEvidence', { key: null, params: { endpoint } })
        expectStatus(refused, 503)
        const { statusCode, reason, message } = objectOf(refused)
        assert.deepEqual([statusCode, reason, typeof message], [503, 'evidence_not_fetched', 'string'])
      }),
  },

  'external-unadmitted': {
    rules: ['EVID-12', 'EVID-13', 'EVID-30'],
    title:
      'What an upstream publishes without being admitted, or under another certificate, is never relayed: the last admitted is',
    needs: upstreamNeeds,
    subjects: ['router'],
    isExclusive: true,
    run: (context) =>
      withUpstream(context, async (upstream) => {
        const { gateway } = upstream
        const params = { endpoint: upstream.name }
        const read = async () =>
          expectBundle(await context.request('getEndpointEvidence', { key: null, params }))
        const look = async () => {
          shows()
          const { asked } = gateway
          gateway.drop()
          await upstream.chat()
          if (gateway.asked === asked) context.warn('the evidence was not looked at')
          return read()
        }
        expectStatus(await upstream.chat(), 200)
        shows()
        const approved = gateway.digest
        const { bundle: admitted } = await read()
        // It claims a certificate that nobody has seen, and shows a third one.
        await gateway.renewLeaf({ isShown: false })
        await gateway.renewLeaf({ isPublished: false })
        const { bundle } = await look()
        shows('EVID-12', 'EVID-30')
        assert.equal(
          bundle.certFingerprint,
          admitted.certFingerprint,
          'a leaf is claimed that was not the one seen',
        )
        await gateway.deploy('another')
        await gateway.renewLeaf()
        const { payload } = await look()
        shows('EVID-13', 'EVID-30')
        assert.equal(payload.evidenceDigest, approved, 'a deployment is named that no verdict did')
      }),
  },

  'named-endpoint': {
    rules: ['EP-18', 'EVID-09'],
    title: 'The bundle of an endpoint is served under its name and under its hostname',
    needs: ['feature:evidence', 'endpoint:own'],
    async run(context) {
      const { own = '' } = context.target.endpoints
      shows('EP-18', 'EVID-09')
      const byName = expectBundle(
        await context.request('getEndpointEvidence', { params: { endpoint: own }, key: null }),
      )
      const { hostname } = byName.bundle
      shows('EVID-09')
      const byHostname = await context.request('getEndpointEvidence', {
        params: { endpoint: hostname },
        key: null,
      })
      assert.equal(expectBundle(byHostname).bundle.hostname, hostname)
    },
  },

  'own-before-external': {
    rules: ['EVID-10'],
    title:
      'An own endpoint’s bundle is relayed under its name even while an upstream is registered under the same',
    needs: ['feature:evidence', 'feature:upstreams', 'endpoint:own', 'registerUpstream', 'setVerdict'],
    run: (context) =>
      withUnreachable(context, context.target.endpoints.own ?? '', async (endpoint) => {
        const read = async (params?: { readonly endpoint: string }) =>
          expectBundle(
            await context.request(params ? 'getEndpointEvidence' : 'getEvidence', {
              key: null,
              ...(params && { params }),
            }),
          )
        const own = await read()
        const { status } = await context.request('getEndpointEvidence', { key: null, params: { endpoint } })
        assert.notEqual(status, 503, 'the upstream is found in its place, of which nothing was fetched')
        assert.equal((await read({ endpoint })).bundle.hostname, own.bundle.hostname)
      }),
  },
} satisfies Topic
