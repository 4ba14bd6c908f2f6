import type { Server } from 'node:http'
import type { MailConfig } from '../config/console.ts'
import { isLoopback } from '../config/loopback.ts'
import type { Listen } from '../config/router.ts'
import { listen } from '../listen.ts'
import { catchMails } from './catcher.ts'
import type { CaughtMail } from './caught-mail.ts'
import { createPage } from './page.ts'

/** A running outbox. */
export interface Outbox {
  /** How mails are handed over to it. */
  readonly mail: MailConfig
  /** Of its page. */
  readonly port: number
  stop(): Promise<void>
}

/** How many mails it keeps, the newest ones (ours). */
const MAX_MAILS = 100

/**
 * Opens an outbox for development: a mail server on loopback that delivers nothing, and a page of what it was handed.
 * Whoever reads the page can sign in as anybody, so it listens on loopback or not at all.
 */
export async function openOutbox(
  address: Listen,
  onMail: (mail: CaughtMail) => void = () => {},
): Promise<Outbox> {
  if (!isLoopback(address.host)) throw new Error(`The outbox's ${address.host} is not a loopback address.`)
  const mails: CaughtMail[] = []
  const catcher = await catchMails(address.host, (mail) => {
    mails.push(mail)
    if (mails.length > MAX_MAILS) mails.shift()
    onMail(mail)
  })
  const page = createPage(() => mails)
  try {
    const port = await listen(page, address, 'console.outbox')
    return {
      mail: mailTo(address.host, catcher.port),
      port,
      async stop() {
        await Promise.all([catcher.stop(), close(page)])
      },
    }
  } catch (error) {
    await catcher.stop()
    throw error
  }
}

function mailTo(host: string, port: number): MailConfig {
  const url = `smtp://${host.includes(':') ? `[${host}]` : host}:${port}`
  return {
    url,
    from: 'Router <router@localhost>',
    credentials: undefined,
    requireTls: false,
    caFile: undefined,
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
