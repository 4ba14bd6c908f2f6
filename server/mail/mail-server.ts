import { isLoopback } from '../config/loopback.ts'

/** Where mail is handed over, as a configuration names it. */
export interface MailServerSettings {
  /** `smtp://host:port` or `smtps://host:port`. */
  readonly url: string
  readonly user?: string | undefined
  readonly password?: string | undefined
  readonly startTls?: 'required' | 'optional' | undefined
}

/** Where mail is handed over, and how. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. */
  readonly isSecure: boolean
  /** Whether nothing is said to a server that does not offer STARTTLS; on this machine it is not asked for. */
  readonly startTls: 'required' | 'optional' | 'off'
  readonly login: { readonly user: string; readonly pass: string } | undefined
}

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 }

/**
 * Completes what is configured. A code must not cross a network in the open, so `smtp://` needs STARTTLS unless it stays
 * on this machine or is told that it need not; a password never crosses one so.
 */
export function completeMailServer({ url, user, password = '', startTls }: MailServerSettings): MailServer {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const login = user ? { user, pass: password } : undefined
  const usual = isLoopback(host) ? 'off' : 'required'
  const isLoginElsewhere = login !== undefined && !isLoopback(host)
  return {
    host,
    port: port === '' ? PORTS[protocol]! : Number(port),
    isSecure: protocol === 'smtps:',
    startTls: isLoginElsewhere ? 'required' : (startTls ?? usual),
    login,
  }
}
