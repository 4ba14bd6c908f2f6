import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { RootLabel, SignatureAlgorithm } from '#contract'
import { type Authority, certify, createAuthority, type Purpose } from './certificates/authority.ts'
import { algorithmOf, generateKeys } from './certificates/keys.ts'
import { namesHardware } from './certificates/tee.ts'
import type { Vault } from './vault.ts'

/** A key and the certificates from its own to the root. */
export interface Identity {
  readonly privateKey: KeyObject
  readonly chain: readonly X509Certificate[]
}

/** The platform's certificates: one authority for ever, and keys below it that can be renewed. */
export interface Identities {
  readonly root: X509Certificate
  /** The identity that was last issued for a purpose; undefined when it no longer does. */
  current(purpose: Purpose, algorithm: SignatureAlgorithm): Identity | undefined
  /** Issues a new one, which is the current one from now on. */
  renew(purpose: Purpose, algorithm: SignatureAlgorithm): Promise<Identity>
}

/** What the identities are made for. */
export interface IdentityOptions {
  readonly hostname: string
  readonly hardware: RootLabel
  readonly now: () => Date
}

/** The root's certificate, for whoever is to trust it. */
export const ROOT_FILE = 'root.pem'
const AUTHORITY_FILE = 'authority.pem'
const files: Readonly<Record<Purpose, string>> = { signing: 'signer.pem', tls: 'tls.pem' }

// Ours: long enough that a gateway which is restarted now and then never shows an expired certificate.
const RENEW_BEFORE_MS = 30 * 86_400_000

/** Opens the identities of a data folder; the authority is made at the first start and never again. */
export async function openIdentities(
  vault: Vault,
  { hostname, hardware, now }: IdentityOptions,
): Promise<Identities> {
  const authority = readAuthority(vault) ?? (await makeAuthority(vault, hardware, now()))
  const { root, intermediate } = authority
  if (!namesHardware(root, hardware)) {
    throw new Error(
      `The root in ${vault.pathOf(ROOT_FILE)} does not name the hardware ${hardware}. A root is never changed: ` +
        'configure another data folder to have a new one.',
    )
  }
  vault.writePublic(ROOT_FILE, String(root))
  return {
    root,
    current(purpose, algorithm) {
      const identity = readIdentity(vault, files[purpose])
      const ours = identity?.chain.at(-1)?.fingerprint256 === root.fingerprint256
      return ours && stillDoes(identity, hostname, algorithm, now()) ? identity : undefined
    },
    async renew(purpose, algorithm) {
      const { privateKey, publicKey } = await generateKeys(algorithm)
      const leaf = certify(authority, publicKey, purpose, hostname, now())
      const identity = { privateKey, chain: [leaf, intermediate, root] }
      vault.writeSecret(files[purpose], toPem(identity))
      return identity
    },
  }
}

async function makeAuthority(vault: Vault, hardware: RootLabel, now: Date): Promise<Authority> {
  const authority = await createAuthority(hardware, now)
  const { privateKey, intermediate, root } = authority
  vault.writeSecret(AUTHORITY_FILE, toPem({ privateKey, chain: [intermediate, root] }))
  return authority
}

function readAuthority(vault: Vault): Authority | undefined {
  const identity = readIdentity(vault, AUTHORITY_FILE)
  if (!identity) return undefined
  const [intermediate, root] = identity.chain
  return { privateKey: identity.privateKey, intermediate: intermediate!, root: root! }
}

function stillDoes(
  { privateKey, chain: [leaf] }: Identity,
  hostname: string,
  algorithm: SignatureAlgorithm,
  now: Date,
): boolean {
  if (algorithmOf(privateKey) !== algorithm) return false
  if (leaf!.checkHost(hostname) === undefined) return false
  return leaf!.validToDate.getTime() - now.getTime() > RENEW_BEFORE_MS
}

/** Key and certificates lie in one file, so that a crash cannot leave one without the other. */
function toPem({ privateKey, chain }: Identity): string {
  return [privateKey.export({ type: 'pkcs8', format: 'pem' }), ...chain].join('')
}

const PEM_BLOCK = /-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g

function readIdentity(vault: Vault, name: string): Identity | undefined {
  const text = vault.read(name)
  if (text === undefined) return undefined
  try {
    const [key, leaf, ...issuers] = text.match(PEM_BLOCK) ?? []
    const chain = [leaf ?? '', ...issuers].map((certificate) => new X509Certificate(certificate))
    return { privateKey: createPrivateKey(key ?? ''), chain }
  } catch (cause) {
    throw new Error(`${vault.pathOf(name)} is damaged; delete its folder to begin anew.`, { cause })
  }
}
