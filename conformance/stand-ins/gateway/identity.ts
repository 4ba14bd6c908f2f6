import type { KeyObject, X509Certificate } from 'node:crypto'
import { type Authority, certify, createAuthorities } from '../../../platform/certificates/authority.ts'
import { generateKeys } from '../../../platform/certificates/keys.ts'
import { createSnapshot, type Snapshot } from '../../../platform/deployment/snapshot.ts'
import { type Signer, signBundle } from '../../../platform/signing/bundle.ts'

/** A TLS certificate with its key and those above it, as a server shows them. */
export interface Leaf {
  readonly certificate: X509Certificate
  readonly key: string
  readonly chain: string
}

/** What vouches for one hostname: who signs its bundles, and who issues its TLS certificates. */
export interface Identity {
  readonly hostname: string
  /** In PEM. */
  readonly root: string
  issueLeaf(): Promise<Leaf>
  /** A bundle as a platform publishes it. */
  sign(statement: { leaf: Leaf; snapshot: Snapshot; issuedAt: Date }): Promise<Buffer>
}

/** Makes a throw-away authority and what it vouches for. */
export async function createIdentity(hostname: string): Promise<Identity> {
  const now = new Date()
  const [authority] = await createAuthorities('Intel TDX (QEMU)', now)
  const signer = await createSigner(authority, hostname, now)
  return {
    hostname,
    root: authority.root.toString(),
    async issueLeaf() {
      const { publicKey, privateKey } = await generateKeys('ES256')
      const certificate = certify(authority, publicKey, 'tls', hostname, now)
      return {
        certificate,
        key: toPem(privateKey),
        chain: [certificate, authority.intermediate].map(String).join(''),
      }
    },
    async sign({ leaf, snapshot, issuedAt }) {
      const statement = { hostname, issuedAt, leaf: leaf.certificate, snapshot }
      return (await signBundle(statement, signer)).bytes
    },
  }
}

/** A snapshot that names `revision`: another revision has another digest. */
export function createDeployment(revision: string): Snapshot {
  return createSnapshot([
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'revision' }, data: { revision } },
  ])
}

async function createSigner(authority: Authority, hostname: string, now: Date): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeys('ES256')
  const leaf = certify(authority, publicKey, 'signing', hostname, now)
  return { algorithm: 'ES256', privateKey, chain: [leaf, authority.intermediate, authority.root] }
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}
