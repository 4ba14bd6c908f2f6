import type { X509Certificate } from 'node:crypto'
import type { RootLabel, SignatureAlgorithm } from '#contract/models'
import { type Authorities, openAuthorities, ROOT_FILE } from './authorities.ts'
import { certify, type Purpose } from './certificates/authority.ts'
import { algorithmOf, generateKeys } from './certificates/keys.ts'
import { namesHardware } from './certificates/tee.ts'
import { type Identity, readIdentity, toPem } from './identity.ts'
import type { Vault } from './vault.ts'

/** The platform's certificates: authorities that stay, and keys below them that can be renewed. */
export interface Identities {
  readonly root: X509Certificate
  readonly authorities: Authorities
  /** The identity last issued for a purpose; undefined if of another algorithm, name or root, or ending in 30 days. */
  current(purpose: Purpose, algorithm: SignatureAlgorithm): Identity | undefined
  /** Issues a new identity and writes it to the data folder; it is the current one from now on. */
  renew(purpose: Purpose, algorithm: SignatureAlgorithm): Promise<Identity>
}

/** What the identities are made for. */
export interface IdentityOptions {
  readonly hostname: string
  readonly hardware: RootLabel
  readonly now: () => Date
}

const files: Readonly<Record<Purpose, string>> = { signing: 'signer.pem', tls: 'tls.pem' }

// Ours: long enough that a gateway which is restarted now and then never shows an expired certificate.
const RENEW_BEFORE_MS = 30 * 86_400_000

/** Opens the identities of a data folder, and makes a root where there is none. Throws if it names other hardware. */
export async function openIdentities(
  vault: Vault,
  { hostname, hardware, now }: IdentityOptions,
): Promise<Identities> {
  const authorities = await openAuthorities(vault, hardware, now)
  const { root } = authorities.first
  if (!namesHardware(root, hardware)) {
    throw new Error(
      `The root in ${vault.pathOf(ROOT_FILE)} does not name the hardware ${hardware}. A root is never changed: ` +
        'configure another data folder to have a new one.',
    )
  }
  return {
    root,
    authorities,
    current(purpose, algorithm) {
      const identity = readIdentity(vault, files[purpose])
      const ours = identity?.chain.at(-1)?.fingerprint256 === root.fingerprint256
      return ours && stillDoes(identity, hostname, algorithm, now()) ? identity : undefined
    },
    async renew(purpose, algorithm) {
      const { privateKey, publicKey } = await generateKeys(algorithm)
      // Clients of TLS trust the first root; only verifiers of evidence follow a move.
      const authority = purpose === 'tls' ? authorities.first : authorities.current
      const leaf = certify(authority, publicKey, purpose, hostname, now())
      const identity = { privateKey, chain: [leaf, authority.intermediate, authority.root] }
      vault.writeSecret(files[purpose], toPem(identity))
      return identity
    },
  }
}

function stillDoes(
  { privateKey, chain: [leaf] }: Identity,
  hostname: string,
  algorithm: SignatureAlgorithm,
  now: Date,
): boolean {
  if (algorithmOf(privateKey) !== algorithm) return false
  if (leaf!.checkHost(hostname) === undefined) return false
  // One that was made while the clock was ahead is refused everywhere until the clock has caught up.
  if (leaf!.validFromDate > now) return false
  return leaf!.validToDate.getTime() - now.getTime() > RENEW_BEFORE_MS
}
