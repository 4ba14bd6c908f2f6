import type { SignatureAlgorithm } from '#contract/models'
import type { Purpose } from './certificates/authority.ts'
import type { Resource } from './deployment/resource.ts'
import { createSnapshot, type Snapshot } from './deployment/snapshot.ts'
import { type WireDigest, wireDigest } from './digest.ts'
import type { Identities } from './identities.ts'
import type { Identity } from './identity.ts'
import type { Log } from './log.ts'
import { type Publication, signBundle } from './signing/bundle.ts'
import type { IssueTimes } from './signing/issue-times.ts'
import type { Simulation } from './simulation/simulation.ts'

/** What a platform needs from the world. */
export interface PlatformDependencies {
  readonly hostname: string
  readonly algorithm: SignatureAlgorithm
  readonly resources: readonly Resource[]
  readonly identities: Identities
  readonly issueTimes: IssueTimes
  /** Plays the hardware that holds the root's key; undefined where none is played. */
  readonly simulation: Simulation | undefined
  readonly log: Log
}

/** Whether a bundle is signed with the change or only with the next signing, as by a platform that does both apart. */
export type Resign = 'now' | 'later'

/** What the next bundle will say, and who will sign it. */
export interface Standing {
  readonly algorithm: SignatureAlgorithm
  readonly signer: Identity
  /** What TLS clients are shown. */
  readonly leaf: Identity
  readonly resources: readonly Resource[]
  readonly snapshot: Snapshot
}

/** The evidence of a deployment, and everything about it that can change. */
export interface Platform {
  readonly standing: Standing
  readonly publication: Publication
  /** The newest bundle that names this certificate; the newest of all where none of the last 16 does. */
  publicationFor(leaf: WireDigest): Publication
  /** Sets the one listener for the TLS certificate; it is called now and, synchronously, with each change. */
  onLeaf(present: (leaf: Identity) => void): void
  /** Resolves when every change that was asked for so far has been made or has failed. */
  settled(): Promise<void>
  resign(): Promise<void>
  rotateLeaf(resign: Resign): Promise<void>
  rotateSigner(resign: Resign, algorithm?: SignatureAlgorithm): Promise<void>
  /** A new signing key below the other intermediate of the same root. */
  rotateChain(resign: Resign): Promise<void>
  /** A new signing key below the other root. */
  rotateRoot(resign: Resign): Promise<void>
  /** Makes the other root, so that verifiers can trust it before anything is signed below it. */
  prepareRoot(): Promise<void>
  /** Replaces what is deployed by what `change` makes of it. */
  rotateDeployment(
    resign: Resign,
    change: (resources: readonly Resource[]) => readonly Resource[],
  ): Promise<void>
}

const TLS_ALGORITHM = 'ES256'
// Ours: connections of leaves that were rotated away before that are told the newest.
const REMEMBERED_LEAVES = 16

/**
 * Signs a deployment's first bundle. Changes are made one after the other in the order of the calls; one that fails
 * rejects and leaves everything as it was. Rejects with `BundleTooLarge` for a bundle that no verifier reads.
 */
export async function createPlatform(dependencies: PlatformDependencies): Promise<Platform> {
  const { hostname, identities, issueTimes, simulation, log } = dependencies
  let standing = await firstStanding(dependencies)
  let publication = await publish(standing)
  let present: (leaf: Identity) => void = () => undefined
  let last: Promise<void> = Promise.resolve()
  const byLeaf = new Map([[publication.certFingerprint, publication]])

  function publish({ algorithm, signer, leaf, snapshot }: Standing): Promise<Publication> {
    const issuedAt = issueTimes.next()
    const quote = simulation?.quoteOf(signer.chain.at(-1)!, issuedAt)
    return signBundle({ hostname, issuedAt, leaf: leaf.chain[0]!, snapshot, quote }, { ...signer, algorithm })
  }

  function change(name: string, resign: Resign, next: () => Promise<Standing>): Promise<void> {
    const changed = last.then(async () => {
      const to = await next()
      const signed = resign === 'now' ? await publish(to) : publication
      // Nothing waits from here on, so that no connection meets one half of the change.
      const { leaf } = standing
      standing = to
      publication = signed
      remember(signed)
      if (to.leaf !== leaf) present(to.leaf)
      const { evidenceDigest: digest, certFingerprint: fingerprint, issuedAt } = signed
      log.info('changed', { change: name, digest, fingerprint, issuedAt: issuedAt.toISOString() })
    })
    last = changed.catch(() => undefined)
    return changed
  }

  async function withNewSigner(algorithm = standing.algorithm): Promise<Standing> {
    return { ...standing, algorithm, signer: await identities.renew('signing', algorithm) }
  }

  function remember(signed: Publication): void {
    byLeaf.delete(signed.certFingerprint)
    byLeaf.set(signed.certFingerprint, signed)
    const [oldest] = byLeaf.keys()
    if (byLeaf.size > REMEMBERED_LEAVES) byLeaf.delete(oldest!)
  }

  return {
    get standing() {
      return standing
    },
    get publication() {
      return publication
    },
    publicationFor: (leaf) => byLeaf.get(leaf) ?? publication,
    onLeaf(listener) {
      present = listener
      present(standing.leaf)
    },
    settled: () => last,
    resign: () => change('resign', 'now', async () => standing),
    rotateLeaf: (resign) =>
      change('leaf', resign, async () => ({
        ...standing,
        leaf: await identities.renew('tls', TLS_ALGORITHM),
      })),
    rotateSigner: (resign, asked) => change('signer', resign, () => withNewSigner(asked)),
    rotateChain: (resign) =>
      change('chain', resign, async () => {
        identities.authorities.moveChain()
        return withNewSigner()
      }),
    rotateRoot: (resign) =>
      change('root', resign, async () => {
        await identities.authorities.moveRoot()
        return withNewSigner()
      }),
    prepareRoot: () => identities.authorities.prepareRoot(),
    rotateDeployment: (resign, changeResources) =>
      change('deployment', resign, async () => {
        const resources = changeResources(standing.resources)
        return { ...standing, resources, snapshot: createSnapshot(resources) }
      }),
  }
}

async function firstStanding({ algorithm, resources, identities }: PlatformDependencies): Promise<Standing> {
  const currentOrNew = async (purpose: Purpose, kind: SignatureAlgorithm): Promise<Identity> =>
    identities.current(purpose, kind) ?? (await identities.renew(purpose, kind))
  return {
    algorithm,
    signer: await currentOrNew('signing', algorithm),
    leaf: await currentOrNew('tls', TLS_ALGORITHM),
    resources,
    snapshot: createSnapshot(resources),
  }
}

/** The fingerprint of what TLS clients are shown. */
export function fingerprintOf({ chain: [leaf] }: Identity): WireDigest {
  return wireDigest(leaf!.raw)
}
