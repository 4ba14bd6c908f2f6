import type { Socket } from 'node:net'
import { request } from '#base/http.ts'

/** An HTTP proxy on the way to an endpoint. It learns where the connection goes, and carries what it cannot read. */
export interface Tunnel {
  readonly host: string
  readonly port: number
  /** What it asks of those who use it; shown to nobody else. */
  readonly authorization?: string | undefined
}

/** Where a tunnel is to end. */
export interface TunnelEnd {
  readonly host: string
  readonly port: number
}

const OK = 200

/**
 * Has the proxy connect to an endpoint, whose name it looks up itself (RFC 9110, 9.3.6). Rejects when it does not; the
 * certificate is looked at behind it, so that nothing is trusted of it (PRXY-19).
 */
export function openTunnel(tunnel: Tunnel, end: TunnelEnd, signal: AbortSignal): Promise<Socket> {
  const { host, port, authorization } = tunnel
  const authority = authorityOf(end)
  const headers = { host: authority, ...(authorization && { 'proxy-authorization': authorization }) }
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, method: 'CONNECT', path: authority, headers, agent: false, signal })
    const refuse = (status: number | undefined) =>
      reject(new Error(`The proxy ${host}:${port} answered ${status} to CONNECT ${authority}.`))
    asked.once('error', reject)
    asked.once('response', (response) => {
      response.destroy()
      refuse(response.statusCode)
    })
    asked.once('connect', ({ statusCode }, socket: Socket, early: Buffer) => {
      // In TLS the client speaks first: whatever came before is not the endpoint's.
      if (statusCode === OK && early.length === 0) return resolve(socket)
      socket.destroy()
      return refuse(statusCode)
    })
    asked.end()
  })
}

function authorityOf({ host, port }: TunnelEnd): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
