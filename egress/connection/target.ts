import { type Environment, findTunnel } from './environment.ts'
import type { Tunnel } from './tunnel.ts'

/** An endpoint's address: where a connection to it goes, and the name that it must prove. */
export interface Target {
  /** The name in the handshake, in `Host` and in the evidence. */
  readonly hostname: string
  /** Where the connection goes: a name or an address. */
  readonly host: string
  readonly port: number
  /** A proxy on the way; every connection goes through it, those for the evidence and those for requests. */
  readonly tunnel?: Tunnel | undefined
}

const HTTPS_PORT = 443

/**
 * Reads the address out of an `https` URL; the hostname is the URL's unless another one is given. The environment may
 * name a proxy on the way to it.
 */
export function targetOf(
  { hostname: host, port: portText }: URL,
  hostname?: string,
  environment: Environment = {},
): Target {
  const dialled = host.replace(/^\[|\]$/g, '')
  const port = portText === '' ? HTTPS_PORT : Number(portText)
  const tunnel = findTunnel(environment, { host: dialled, port })
  return {
    hostname: (hostname ?? dialled).toLowerCase(),
    host: dialled,
    port,
    ...(tunnel && { tunnel }),
  }
}

/** What `Host` says: the hostname, and the port unless it is the usual one. */
export function authorityOf({ hostname, port }: Target): string {
  const name = hostname.includes(':') ? `[${hostname}]` : hostname
  return port === HTTPS_PORT ? name : `${name}:${port}`
}
