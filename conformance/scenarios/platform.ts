import { X509Certificate } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '#base/object.ts'
import * as assert from '../engine/assert.ts'
import { shows } from '../engine/checks.ts'
import { canonical, expectBundle, isSigned, teeOf, wireDigest } from '../engine/evidence.ts'
import { expectStatus } from '../engine/expect.ts'
import { objectOf } from '../engine/http/exchange.ts'
import type { Topic } from '../engine/topic.ts'

const NO_QUOTE = { status: 'not-implemented' }

const VALUE = 'a value of a secret that nobody may read'
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'database' }, stringData: { VALUE } }

export default {
  bundle: {
    rules: ['BNDL-01', 'BNDL-02', 'VERS-04', 'BNDL-03', 'BNDL-12', 'BNDL-14'],
    title: 'The bundle says its kind, its version as the integer 1 and its hostname; a quote is noticed',
    needs: ['platform'],
    subjects: ['platform'],
    async run(context) {
      const exchange = await context.request('getPlatformEvidence', { key: null })
      expectStatus(exchange, 200)
      const bundle = objectOf(exchange)
      shows('BNDL-01')
      assert.equal(bundle.kind, 'DeploymentEvidence')
      shows('BNDL-02', 'BNDL-14', 'VERS-04')
      assert.equal(bundle.version, 1)
      shows('BNDL-03')
      assert.equal(bundle.hostname, context.target.platform?.hostname)
      shows('BNDL-12')
      // The specification says what it is "currently": a platform that has more to show breaks nothing.
      const { rootCaTeeQuote } = bundle
      assert.ok(rootCaTeeQuote === undefined || isObject(rootCaTeeQuote), 'rootCaTeeQuote is no object')
      if (!isDeepStrictEqual(rootCaTeeQuote, NO_QUOTE)) context.warn(describe(rootCaTeeQuote))
    },
  },

  chain: {
    rules: ['BNDL-06'],
    title: 'The chain holds certificates in PEM, from the one that signs to a root that signed itself',
    needs: ['platform'],
    subjects: ['platform'],
    async run(context) {
      const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
      const { bundle, chain } = read

      assert.ok(chain.length >= 2, 'there is no chain')
      for (const pem of bundle.certChain)
        assert.match(pem, /^-----BEGIN CERTIFICATE-----\n[^-]+-----END CERTIFICATE-----\s*$/)
      for (const [index, certificate] of chain.entries()) {
        const issuer = chain[index + 1] ?? certificate
        assert.ok(certificate.checkIssued(issuer), `certificate ${index} was not issued by the next`)
        assert.ok(certificate.verify(issuer.publicKey), `certificate ${index} was not signed by the next`)
      }
    },
  },

  fingerprint: {
    rules: ['BNDL-07', 'BNDL-08'],
    title: 'certFingerprint is the SHA-256 of the certificate on the wire, and tlsLeaf is that certificate',
    needs: ['platform'],
    subjects: ['platform'],
    async run(context) {
      const exchange = await context.request('getPlatformEvidence', { key: null })
      const { bundle } = expectBundle(exchange)
      assert.ok(exchange.leaf, 'the connection showed no certificate')
      shows('BNDL-07')
      assert.equal(bundle.certFingerprint, wireDigest(exchange.leaf))
      shows('BNDL-08')
      assert.ok(derOf(bundle.tlsLeaf ?? '').equals(exchange.leaf), 'tlsLeaf is another certificate')
    },
  },

  headers: {
    rules: ['EP-23', 'EP-24', 'EVID-25'],
    title: 'The evidence path of the platform says no-store and sends no CORS headers',
    needs: ['platform'],
    subjects: ['platform'],
    operation: 'getPlatformEvidence',
    steps: [
      { key: 'none', expect: { headers: { 'cache-control': 'no-store' } }, shows: { headers: ['EP-23'] } },
      {
        key: 'none',
        headers: { origin: 'https://anybody.example' },
        expect: {
          headers: {
            'access-control-allow-origin': { $absent: true },
            'access-control-expose-headers': { $absent: true },
            'access-control-allow-headers': { $absent: true },
          },
        },
        shows: { headers: ['EP-24', 'EVID-25'] },
      },
    ],
  },

  issued: {
    rules: ['BNDL-04'],
    title: 'The bundle says when it was signed, which is not long ago and not ahead',
    needs: ['platform'],
    subjects: ['platform'],
    async run(context) {
      const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
      const { bundle } = read

      const ageMs = Date.now() - Date.parse(bundle.issuedAt)
      assert.ok(ageMs > -60_000, `it was signed ${-ageMs} ms ahead`)
      assert.ok(ageMs < context.target.limits.resignMs + 60_000, `it was signed ${ageMs} ms ago`)
    },
  },

  label: {
    rules: ['MODL-22'],
    title: 'The root names its hardware by a label of the closed set',
    needs: ['platform'],
    subjects: ['platform'],
    async run(context) {
      const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
      const { chain } = read

      assert.ok(chain.length > 0)
      assert.notEqual(teeOf(read), null, 'it names none')
    },
  },

  path: {
    rules: ['EP-21', 'EP-22', 'SRV-05', 'AUTH-04'],
    title:
      "The platform's gateway serves the signed bundle at its path without a key, and the router does not",
    needs: ['platform'],
    subjects: ['platform'],
    async run(context) {
      shows('EP-21', 'EP-22', 'SRV-05', 'AUTH-04')
      const { bundle } = expectBundle(await context.request('getPlatformEvidence', { key: null }))
      assert.equal(bundle.kind, 'DeploymentEvidence')
      const { baseUrl } = context.target
      // A base address that TLS ends at is the gateway's own: what answers there is no router.
      if (new URL(baseUrl).protocol === 'https:') return
      shows('EP-21')
      const head = `GET /.well-known/platform-evidence HTTP/1.1\r\nhost: ${new URL(baseUrl).host}\r\n`
      const atRouter = await context.client.raw(`${head}connection: close\r\n\r\n`, { baseUrl })
      assert.notEqual(atRouter.status, 200, 'the router serves it itself')
    },
  },

  payload: {
    rules: ['BNDL-17', 'BNDL-19', 'BNDL-21', 'BNDL-22'],
    title: 'The payload repeats what the envelope says, and its digest is that of the canonical snapshot',
    needs: ['platform'],
    subjects: ['platform'],
    async run(context) {
      const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
      const { bundle, payload } = read

      shows('BNDL-19')
      for (const name of ['version', 'kind', 'hostname', 'issuedAt', 'certFingerprint'] as const) {
        assert.equal(payload[name], bundle[name], `${name} is not the same`)
      }
      shows('BNDL-21')
      assert.equal(payload.evidence.version, 2)
      assert.ok(Array.isArray(payload.evidence.resources))
      shows('BNDL-22')
      assert.equal(payload.evidenceDigest, wireDigest(canonical(payload.evidence)))
      shows('BNDL-17')
      assert.ok(bundle.tlsLeaf)
    },
  },

  resigned: {
    rules: ['BNDL-05', 'LIM-16'],
    title: 'The bundle is signed anew every few minutes',
    needs: ['platform'],
    subjects: ['platform'],
    waitsMs: ({ resignMs }) => resignMs,
    async run(context) {
      const issuedAt = async () =>
        expectBundle(await context.request('getPlatformEvidence', { key: null })).bundle.issuedAt
      shows()
      const first = await issuedAt()
      shows('BNDL-05', 'LIM-16')
      await context.eventually(
        'the bundle is signed anew',
        async () => Date.parse(await issuedAt()) > Date.parse(first),
        context.target.limits.resignMs * 1.5,
      )
    },
  },

  secret: {
    rules: ['BNDL-31'],
    title: 'A deployment with a Secret is refused by its name, and nothing of it is published or told',
    needs: ['platform', 'platformControl'],
    subjects: ['platform'],
    isExclusive: true,
    async run(context) {
      const digest = async (): Promise<string> => {
        const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
        assert.ok(!JSON.stringify(read.payload).includes(VALUE))
        return read.payload.evidenceDigest
      }
      const before = await digest()
      try {
        for (const resource of [secret, { apiVersion: 'v1', kind: 'List', items: [secret] }]) {
          const refusal = await context
            .control('/rotate/deployment', { resources: [resource] })
            .then(() => 'it was deployed', String)
          assert.match(refusal, /Secret\W+database/)
          assert.ok(!refusal.includes(VALUE))
        }
        assert.equal(await digest(), before)
      } finally {
        await context.control('/rotate/deployment', { restore: true })
      }
    },
  },

  signature: {
    rules: ['BNDL-09', 'BNDL-10', 'DIG-03'],
    title:
      'The jws is a signature of the first certificate over a payload with the snapshot and its digest in wire form',
    needs: ['platform'],
    subjects: ['platform'],
    async run(context) {
      const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
      const { payload } = read

      shows('DIG-03', 'BNDL-10')
      assert.match(payload.evidenceDigest, /^sha256\/[A-Za-z0-9_-]{43}$/)
      shows('BNDL-10')
      assert.equal(typeof payload.evidence, 'object')
      shows('BNDL-09')
      assert.ok(isSigned(read), 'the signature is not that of the first certificate')
    },
  },
} satisfies Topic

function describe(quote: unknown): string {
  const found = quote === undefined ? 'absent' : `${JSON.stringify(quote).slice(0, 80)}`
  return `rootCaTeeQuote is ${found}, not {"status":"not-implemented"}; only who demands hardware of the root judges it`
}

/** The DER of a certificate in PEM or in base64, for the specification leaves open which; empty for any other text. */
function derOf(text: string): Buffer {
  try {
    return new X509Certificate(text.startsWith('-----') ? text : Buffer.from(text, 'base64')).raw
  } catch {
    return Buffer.alloc(0)
  }
}
