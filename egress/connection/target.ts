/** An endpoint's address: where a connection to it goes, and the name that it must prove. */
export interface Target {
  /** The name in the handshake, in `Host` and in the evidence. */
  readonly hostname: string
  /** Where the connection goes: a name or an address. */
  readonly host: string
  readonly port: number
}

const HTTPS_PORT = 443

/** Reads the address out of an `https` URL; the hostname is the URL's unless another one is given. */
export function targetOf({ hostname: host, port }: URL, hostname?: string): Target {
  const dialled = host.replace(/^\[|\]$/g, '')
  return {
    hostname: (hostname ?? dialled).toLowerCase(),
    host: dialled,
    port: port === '' ? HTTPS_PORT : Number(port),
  }
}

/** What `Host` says: the hostname, and the port unless it is the usual one. */
export function authorityOf({ hostname, port }: Target): string {
  const name = hostname.includes(':') ? `[${hostname}]` : hostname
  return port === HTTPS_PORT ? name : `${name}:${port}`
}
