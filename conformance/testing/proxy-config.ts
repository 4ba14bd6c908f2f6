import { HOSTNAME, ORIGIN } from './deployment.ts'

/** What the proxy's configuration depends on. */
export interface ProxyPlace {
  /** Through the wire. */
  readonly wiredUrl: string
  readonly platformUrl: string
  readonly rootPemFile: string
  readonly pin: string
  readonly dataDir: string
  readonly port: number
  readonly openPort: number
  /** Of the page for people. */
  readonly adminPort: number
  readonly socket: string
}

/** What the proxy's open listener asks for. */
export const OPEN_TOKEN = 'a-token-for-other-machines'

/** The verifying proxy's configuration file: the endpoint on three listeners. */
export function proxyConfig(at: ProxyPlace): object {
  const approved = { hostname: HOSTNAME, roots: [{ file: at.rootPemFile }], pins: [at.pin] }
  // Beside the wire, so that what is done to it concerns one listener alone.
  const beside = { ...approved, url: `${at.platformUrl}/v1` }
  return {
    dataDir: at.dataDir,
    admin: { host: '127.0.0.1', port: at.adminPort },
    endpoints: [
      {
        name: 'demo',
        listen: { host: '127.0.0.1', port: at.port, origins: [ORIGIN] },
        ...approved,
        url: `${at.wiredUrl}/v1`,
      },
      {
        name: 'open',
        listen: { host: '0.0.0.0', port: at.openPort, allowRemote: true, token: OPEN_TOKEN },
        ...beside,
      },
      { name: 'socket', listen: { socket: at.socket }, ...beside },
    ],
  }
}
