import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limits } from '#contract/limits'
import { ListenError } from '../config/listening.ts'
import { ROOT_FILE } from './authorities.ts'
import type { Listen, PlatformConfig } from './config.ts'
import { createControl } from './control.ts'
import { renderDeployment } from './deployment/render.ts'
import { type WireDigest, wireDigest } from './digest.ts'
import { asksForEvidence, serveEvidence } from './evidence.ts'
import { createForwarder } from './forward/forward.ts'
import { openIdentities } from './identities.ts'
import { createListener } from './listener.ts'
import type { Log } from './log.ts'
import { createPlatform, fingerprintOf, type Platform } from './platform.ts'
import { type Resigner, startResigner } from './resigner.ts'
import { createIssueTimes } from './signing/issue-times.ts'
import { simulate } from './simulation/simulate.ts'
import { openVault } from './vault.ts'

/** A gateway that is up. */
export interface Gateway {
  readonly url: string
  readonly controlUrl: string | undefined
  readonly rootPemFile: string
  readonly platform: Platform
  /** Takes no more connections, lets running requests end for up to `drainMs`, and closes what is left. */
  close(): Promise<void>
}

/** What a gateway needs from the world. */
export interface GatewayDependencies {
  readonly now: () => Date
  readonly log: Log
}

const ROOT_AHEAD =
  'the root is not valid yet, and verifiers refuse it (certificate_not_yet_valid): if this clock is right, it was made ' +
  'while the clock was ahead: stop the platform, delete the folder, and give out the root that the next start makes'

/** The file in the data folder that has the certificates of the vendor that is played. */
const VENDOR_FILE = 'simulated-vendor.pem'
const SIMULATED = 'the quote of the root is simulated: whoever demands hardware of the root refuses it'

/**
 * Starts a gateway: keys, evidence, TLS and control. Rejects with a `ListenError` for an address that cannot be had, a
 * `BundleTooLarge` for a deployment that no verifier reads, and an `Error` for a data folder that does not fit.
 */
export async function startGateway(
  config: PlatformConfig,
  { now, log }: GatewayDependencies,
): Promise<Gateway> {
  const { hostname, hardware, algorithm, resources, simulateTee } = config
  const vault = openVault(config.dataDir)
  const identities = await openIdentities(vault, { hostname, hardware, now })
  if (identities.root.validFromDate > now()) log.warn(ROOT_AHEAD, { path: vault.pathOf(ROOT_FILE) })
  const issueTimes = createIssueTimes(vault, now, log)
  const simulation = simulateTee && simulate(simulateTee, now())
  if (simulation) {
    vault.writePublic(VENDOR_FILE, simulation.vendor.map(String).join(''))
    log.warn(SIMULATED, { path: vault.pathOf(VENDOR_FILE) })
  }
  const platform = await createPlatform({
    hostname,
    algorithm,
    resources,
    identities,
    issueTimes,
    simulation,
    log,
  })
  const forwarded = countByLeaf()
  const forwarder = createForwarder(config.upstream, log)
  const listener = createListener((request, response, leaf) => {
    if (asksForEvidence(request)) return serveEvidence(request, response, platform.publicationFor(leaf))
    forwarded.count(leaf)
    return forwarder.forward(request, response)
  })
  platform.onLeaf(listener.present)
  const resigner = startResigner(platform, config.resignIntervalMs, log)
  const restore = () => renderDeployment(config.deployment)
  const state = () => ({
    url,
    hostname,
    ...stateOf(platform, resigner),
    rootPemFiles: identities.authorities.rootFiles(),
    forwarded: forwarded.byLeaf(),
  })
  const control = createControl({ platform, resigner, restore, state })
  const close = async (): Promise<void> => {
    resigner.stop()
    control.close()
    control.closeAllConnections()
    await listener.close(limits.drainMs)
    forwarder.close()
  }
  let url = ''
  try {
    const { host, port } = config.listen
    const controlUrl = config.control && (await listenForControl(control, config.control))
    const listening = listener.listen(host, port).catch((cause: unknown) => {
      throw new ListenError(cause, config.listen, 'listen')
    })
    url = `https://${hostAndPort(host, await listening)}`
    return { url, controlUrl, rootPemFile: vault.pathOf(ROOT_FILE), platform, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface State {
  readonly algorithm: string
  readonly held: boolean
  /** Of the evidence as it is published. */
  readonly digest: WireDigest
  readonly issuedAt: string
  readonly certFingerprint: WireDigest
  /** Of the certificate that new connections are shown. */
  readonly fingerprint: WireDigest
  /** Of the root that vouches for the next signature. */
  readonly rootFingerprint: WireDigest
}

function stateOf({ standing, publication }: Platform, { held }: Resigner): State {
  return {
    algorithm: standing.algorithm,
    held,
    digest: publication.evidenceDigest,
    issuedAt: publication.issuedAt.toISOString(),
    certFingerprint: publication.certFingerprint,
    fingerprint: fingerprintOf(standing.leaf),
    rootFingerprint: wireDigest(standing.signer.chain.at(-1)!.raw),
  }
}

// Ours: as many as there are bundles that are remembered.
const COUNTED_LEAVES = 16

/** How many requests were forwarded from connections that show a certificate, the newest of them. */
function countByLeaf(): { count(leaf: WireDigest): void; byLeaf(): Readonly<Record<WireDigest, number>> } {
  const counts = new Map<WireDigest, number>()
  return {
    count(leaf) {
      counts.set(leaf, (counts.get(leaf) ?? 0) + 1)
      const [oldest] = counts.keys()
      if (counts.size > COUNTED_LEAVES) counts.delete(oldest!)
    },
    byLeaf: () => Object.fromEntries(counts),
  }
}

async function listenForControl(server: Server, { host, port }: Listen): Promise<string> {
  server.listen({ host, port })
  await once(server, 'listening').catch((cause: unknown) => {
    throw new ListenError(cause, { host, port }, 'control')
  })
  return `http://${hostAndPort(host, (server.address() as AddressInfo).port)}`
}

function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
