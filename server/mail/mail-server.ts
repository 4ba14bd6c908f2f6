import type { MailConfig } from '../config/console.ts'
import { isLoopback } from '../config/loopback.ts'

/** Where mail is handed over, and how. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. */
  readonly isSecure: boolean
  /** Whether nothing is said to a server that does not offer STARTTLS; on this machine it is not asked for. */
  readonly startTls: 'required' | 'optional' | 'off'
}

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 }

/** Reads where a configured mail server is. */
export function mailServerOf({ url, requireTls }: Pick<MailConfig, 'url' | 'requireTls'>): MailServer {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const otherwise = isLoopback(host) ? 'off' : 'optional'
  return {
    host,
    port: port === '' ? PORTS[protocol]! : Number(port),
    isSecure: protocol === 'smtps:',
    startTls: requireTls ? 'required' : otherwise,
  }
}
