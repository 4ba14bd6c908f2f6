import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import { createTransport } from 'nodemailer'
import { limits } from '#contract/limits'
import type { MailConfig } from '../config/console.ts'
import { mailServerOf } from './mail-server.ts'

/** A mail to one person. */
export interface MailMessage {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Hands mails over to a mail server. */
export interface Mailer {
  /** Resolves when the server has taken it. Throws `MailError`. */
  send(message: MailMessage): Promise<void>
}

/** Why a mail was not sent. */
export type MailReason = 'unreachable' | 'tls' | 'credentials' | 'refused' | 'busy'

/**
 * A mail that was not sent. It has neither the server's words nor a cause, as both may quote the address or the mail: a
 * log is told the reason, the driver's code and the server's reply code.
 */
export class MailError extends Error {
  override readonly name = 'MailError'
  readonly reason: MailReason
  readonly code: string | undefined
  readonly replyCode: number | undefined

  constructor(reason: MailReason, code?: string, replyCode?: number) {
    super(messages[reason])
    this.reason = reason
    this.code = code
    this.replyCode = replyCode
  }
}

const messages: Readonly<Record<MailReason, string>> = {
  unreachable: 'The mail server cannot be reached, or does not answer.',
  tls: 'The mail server offers no TLS that can be trusted.',
  credentials: 'The mail server refuses the user or the password.',
  refused: 'The mail server refuses the mail.',
  busy: 'Too many mails wait for the mail server.',
}

/** Mails that may be on their way at a time (ours). */
const MAX_SENDING = 50

type GotSocket = (error: Error | null, opened: false | { readonly connection: Socket }) => void

/**
 * Creates a mailer; it connects for each mail, so that no connection goes stale. Throws when the file of the authority
 * cannot be read.
 */
export function createMailer(config: MailConfig, timeoutMs: number = limits.mailMs): Mailer {
  const { from, credentials, caFile } = config
  const { host, port, isSecure, startTls } = mailServerOf(config)
  const ca = caFile === undefined ? undefined : [...rootCertificates, readFileSync(caFile, 'utf8')]
  const transport = createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: startTls === 'required',
    ignoreTLS: startTls === 'off',
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
    ...(ca !== undefined && { tls: { ca } }),
    // Node looks a name up as the system does, /etc/hosts included, and tries both families; the package does neither.
    getSocket(_: unknown, callback: GotSocket) {
      const connection = connect({ host, port, timeout: timeoutMs })
      const fail = (error: Error) => {
        connection.destroy()
        callback(error, false)
      }
      const late = () => fail(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }))
      connection.once('error', fail)
      connection.once('timeout', late)
      connection.once('connect', () => {
        connection.off('error', fail).off('timeout', late)
        callback(null, { connection })
      })
    },
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // A message is text of our own, and may name no file and no address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  let sending = 0
  return {
    async send({ to, subject, text, html }) {
      if (sending === MAX_SENDING) throw new MailError('busy')
      sending++
      try {
        const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }
        const signal = AbortSignal.timeout(timeoutMs)
        await transport.sendMail({ from, to, subject, text, html, headers, signal })
      } catch (error) {
        throw toMailError(error)
      } finally {
        sending--
      }
    },
  }
}

const reasons: Readonly<Record<string, MailReason>> = {
  EAUTH: 'credentials',
  ENOAUTH: 'credentials',
  ETLS: 'tls',
  EREQUIRETLS: 'tls',
  EENVELOPE: 'refused',
  EMESSAGE: 'refused',
}

/** How Node and OpenSSL name what is wrong with a certificate or a handshake. */
const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|INVALID_CA)/

/** What the package throws; its message, its response and its lists of the refused quote addresses. */
interface DriverError {
  readonly code?: string
  /** Node's own, or OpenSSL's. */
  readonly originalCode?: string
  readonly responseCode?: number
}

function toMailError(error: unknown): MailError {
  const { code = '', originalCode, responseCode } = error as DriverError
  if (TLS_CODE.test(originalCode ?? '')) return new MailError('tls', originalCode, responseCode)
  const usual = responseCode === undefined ? 'unreachable' : 'refused'
  return new MailError(reasons[code] ?? usual, originalCode ?? code, responseCode)
}
