import { type Digest, parseDigest } from '../attestation/digest.ts'
import type { Crew } from './crew.ts'
import { StartFailure } from './failure.ts'
import type { RealBackend } from './options.ts'
import { backendPart, platformPart, proxyPart, routerPart } from './parts.ts'
import type { Places } from './places.ts'
import { writePlatformConfig } from './platform-config.ts'
import { defaultPorts } from './ports.ts'
import { writeProxyConfig } from './proxy-config.ts'
import { STAND_IN_MODEL, writeRouterConfig } from './router-config.ts'

/** Where the model is asked, and where the stand-in is told what to answer. */
export interface BackendAddresses {
  readonly url: string
  readonly controlUrl?: string
}

/** What the router needs of those started before it. */
export interface RouterNeeds {
  readonly databaseUrl: string
  readonly backendUrl: string
  readonly real: RealBackend | undefined
}

/** A router behind its platform. */
export interface RouterAddresses {
  /** With `/v1`. */
  readonly routerUrl: string
  /** Of health and metrics. */
  readonly adminUrl: string
  readonly platformUrl: string
  readonly platformControlUrl: string
  /** Where browsers find the console. */
  readonly consoleUrl: string
  /** Where the console's mails are shown. */
  readonly outboxUrl: string
  readonly platformPort: number
  /** Of what the platform says is deployed. */
  readonly digest: Digest
}

/** Starts the scripted backend. */
export function startStandIn(crew: Crew, places: Places): Promise<BackendAddresses> {
  const { backend, backendControl } = defaultPorts
  return crew.startParts({ backend, backendControl }, async (start, { backend, backendControl }) => {
    const ports = { port: backend.port, controlPort: backendControl.port }
    await start('Backend', backendPart(places, ports, STAND_IN_MODEL), backend, { control: backendControl })
    return {
      url: `http://127.0.0.1:${backend.port}/v1`,
      controlUrl: `http://127.0.0.1:${backendControl.port}`,
    }
  })
}

/** Starts the platform and the router behind it, which finds its evidence at once. */
export function startRouter(
  crew: Crew,
  places: Places,
  { databaseUrl, backendUrl, real }: RouterNeeds,
): Promise<RouterAddresses> {
  const { router, admin, outbox, platform, platformControl } = defaultPorts
  return crew.startParts({ router, admin, outbox, platform, platformControl }, async (start, ports) => {
    const { port: routerPort } = ports.router
    const { port: adminPort } = ports.admin
    const { port: outboxPort } = ports.outbox
    const { port: platformPort } = ports.platform
    const { port: controlPort } = ports.platformControl
    writePlatformConfig(places, { port: platformPort, controlPort, routerPort })
    const said = await start('Platform', platformPart(places), ports.platform, {
      control: ports.platformControl,
    })
    writeRouterConfig(places, { port: routerPort, adminPort, outboxPort, platformPort, backendUrl, real })
    const beside = { metrics: ports.admin, outbox: ports.outbox }
    await start('Router', routerPart(places, databaseUrl), ports.router, beside)
    return {
      routerUrl: `http://127.0.0.1:${routerPort}/v1`,
      adminUrl: `http://127.0.0.1:${adminPort}`,
      platformUrl: `https://127.0.0.1:${platformPort}`,
      platformControlUrl: `http://127.0.0.1:${controlPort}`,
      consoleUrl: `http://127.0.0.1:${routerPort}/console/`,
      outboxUrl: `http://127.0.0.1:${outboxPort}`,
      platformPort,
      digest: parseDigestOf(said),
    }
  })
}

/** Starts the proxy with that digest as its pin; gives its address, with `/v1`. */
export function startProxy(
  crew: Crew,
  places: Places,
  { platformPort, digest }: RouterAddresses,
): Promise<string> {
  return crew.startParts({ proxy: defaultPorts.proxy }, async (start, { proxy }) => {
    writeProxyConfig(places, { port: proxy.port, platformPort, pin: digest })
    await start('Proxy', proxyPart(places), proxy)
    return `http://127.0.0.1:${proxy.port}/v1`
  })
}

function parseDigestOf(document: unknown): Digest {
  const { evidence_digest: digest } = document as { readonly evidence_digest?: unknown }
  try {
    return parseDigest(String(digest))
  } catch (cause) {
    throw new StartFailure('The platform does not say what is deployed.', [JSON.stringify(document)], cause)
  }
}
