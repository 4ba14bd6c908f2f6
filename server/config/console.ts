import { resolve } from 'node:path'
import type { components } from '#contract/types'
import type { ConfigProblem } from '../../config/error.ts'
import { isLoopback } from './loopback.ts'
import { isPublicHttps } from './public.ts'

/** As it was written; its schema is spec/config/router.tsp. */
export type ConsoleFile = components['schemas']['ConsoleConfig']

/** The console's settings, checked and complete. */
export interface ConsoleConfig {
  /** The origin under which browsers reach it, such as `https://router.example`. */
  readonly publicUrl: string
  /** Addresses in small letters (CONS-33). */
  readonly administrators: readonly string[]
  /** Undefined only where there is an outbox. */
  readonly mail?: MailConfig
  /** Where mails are shown instead of sent, on loopback (CONS-57). */
  readonly outbox?: { readonly host: string; readonly port: number }
}

/** A mail server. */
export interface MailConfig {
  /** `smtp://` or `smtps://`, with host and maybe a port. */
  readonly url: string
  readonly from: string
  readonly credentials: { readonly user: string; readonly password: string } | undefined
  /** Whether a connection that cannot be encrypted is given up. */
  readonly requireTls: boolean
  /** PEM file of the authority to believe; the system's when undefined. */
  readonly caFile: string | undefined
}

/** Fills in what was left out; files are looked for from the folder of the configuration. */
export function completeConsole(
  { publicUrl, administrators = [], mail, outbox }: ConsoleFile,
  publicBaseUrl: string,
  folder: string,
): ConsoleConfig {
  return {
    publicUrl: new URL(publicUrl ?? publicBaseUrl).origin,
    administrators: administrators.map((address) => address.toLowerCase()),
    ...(mail && { mail: completeMail(mail, folder) }),
    ...(outbox && { outbox: { host: outbox.host ?? '127.0.0.1', port: outbox.port ?? 0 } }),
  }
}

function completeMail(mail: NonNullable<ConsoleFile['mail']>, folder: string): MailConfig {
  const { url, from, user, password = '', startTls, caFile } = mail
  return {
    url,
    from,
    credentials: user ? { user, password } : undefined,
    requireTls: startTls === 'required' || (startTls === undefined && !isLoopback(new URL(url).hostname)),
    caFile: caFile && resolve(folder, caFile),
  }
}

const SENDER = /^([^<>]*<)?[^\s@<>]+@[^\s@<>]+>?$/

/** What a schema cannot say of the console's settings, at their paths. */
export function consoleContradictions(
  { publicUrl, mail, outbox }: ConsoleFile,
  publicBaseUrl: string | undefined,
): ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const report = (path: string, message: string) => problems.push({ path: `console.${path}`, message })
  if (publicUrl !== undefined && !URL.canParse(publicUrl)) report('publicUrl', 'is not a URL')
  if (!mail && !outbox) report('mail', 'is required: codes go by mail; for development outbox: {} shows them')
  if (mail && outbox) report('outbox', 'stands beside mail: either mails are sent, or they are shown')
  if (outbox && !isLoopback(outbox.host ?? '127.0.0.1')) {
    report('outbox.host', 'is not a loopback address; whoever reaches it can sign in as anybody')
  }
  if (outbox && isPublicHttps(publicUrl ?? publicBaseUrl ?? '')) {
    report('outbox', 'is for development: here the console has a public https address')
  }
  if (mail && !URL.canParse(mail.url)) report('mail.url', 'is not a URL')
  else if (mail?.user && mail.startTls === 'optional' && !isLoopback(new URL(mail.url).hostname)) {
    report('mail.startTls', 'is optional, and the password would travel unencrypted')
  }
  if (mail && !SENDER.test(mail.from)) report('mail.from', 'is neither an address nor Name <address>')
  if (mail?.user && !mail.password) report('mail.password', 'is required where there is a user')
  return problems
}
