import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/** A published bundle as a test needs it: its bytes, and the digest that another writer of canonical JSON gives. */
export interface TestBundle {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly digest: string
  readonly issuedAt: string
}

/** A deployment in two versions: an image, a setting and a resource differ. */
export function snapshot(version: 1 | 2) {
  const image = `registry.example/router@sha256:${String(version).repeat(64)}`
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'router', namespace: 'inference' },
    spec: {
      replicas: version,
      template: {
        spec: {
          containers: [
            {
              name: 'router',
              image,
              args: ['run'],
              env: [{ name: 'LOG_LEVEL', value: version === 1 ? 'info' : 'warn' }],
            },
          ],
        },
      },
    },
  }
  const config = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'router', namespace: 'inference' },
    data: { 'router.yaml': 'listen: 127.0.0.1:8080\nmodels: []\n' },
  }
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'router', namespace: 'inference' },
    spec: { ports: [{ port: 443 }] },
  }
  return { version: 2, resources: version === 1 ? [deployment, config] : [deployment, config, service] }
}

/** A bundle about a snapshot. Its signature is none: the page says what it checks, and that is not among it. */
export function bundleOf(evidence: unknown, issuedAt: string): TestBundle {
  return bundleOver(JSON.stringify(evidence), canonicalize(evidence)!, issuedAt)
}

/** A bundle about a snapshot in a spelling of its own, signed with the digest of a text. */
export function bundleOver(evidence: string, digested: string, issuedAt: string): TestBundle {
  const wire = (bytes: string) => `sha256/${createHash('sha256').update(bytes).digest('base64url')}`
  const digest = wire(digested)
  const signed = {
    version: 1,
    kind: 'DeploymentEvidence',
    hostname: 'router.example',
    issuedAt,
    certFingerprint: wire('leaf'),
  }
  const payload = JSON.stringify({ ...signed, evidenceDigest: digest }).replace(
    /}$/,
    `,"evidence":${evidence}}`,
  )
  const encode = (text: string) => Buffer.from(text).toString('base64url')
  const jws = `${encode('{"alg":"ES256"}')}.${encode(payload)}.${'A'.repeat(86)}`
  const bundle = { ...signed, certChain: [], tlsLeaf: '', jws, rootCaTeeQuote: { status: 'not-implemented' } }
  return { bytes: new TextEncoder().encode(`${JSON.stringify(bundle, null, 2)}\n`), digest, issuedAt }
}
