import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { MailError, type Mailer } from '../mail/mailer.ts'
import { createCodeMail } from '../mail/sign-in-mail.ts'
import type { Sql } from '../store/connection.ts'
import type { AskedCode } from './ask-code.ts'
import type { EmailAddress } from './email-address.ts'

/** Mails codes behind the backs of those who asked, so that no answer tells by its time what became of the mail. */
export interface CodePost {
  /** Begins to mail a code, if one is to be mailed. */
  post(to: EmailAddress, asked: AskedCode): void
  /** Resolves once no mail is on its way any more. */
  stop(): Promise<void>
}

/** What mailing codes needs from the world. */
export interface CodePostOptions {
  readonly sql: Sql
  readonly mailer: Mailer
  /** Where people see the console. */
  readonly console: string
  readonly log: Log
}

/** Creates the post of one router. */
export function createCodePost({ sql, mailer, console, log }: CodePostOptions): CodePost {
  const underWay = new Set<Promise<void>>()

  async function send(to: EmailAddress, code: string, asked: AskedCode): Promise<void> {
    // The answer goes first.
    await nextTurn()
    try {
      await mailer.send(createCodeMail({ to, code, console }))
      await asked.note(sql, 'sent')
    } catch (error) {
      if (!(error instanceof MailError))
        return log.error('what became of a sign-in mail is not known', { error })
      const { reason, code, replyCode: status } = error
      log.warn('a sign-in mail was not sent', { reason, code, status })
      await asked.note(sql, 'failed').catch((cause: unknown) => {
        log.error('that a sign-in mail was not sent could not be written down', { error: cause })
      })
    }
  }

  return {
    post(to, asked) {
      if (asked.code === undefined) return
      const sending = send(to, asked.code, asked)
      underWay.add(sending)
      void sending.finally(() => underWay.delete(sending))
    },
    async stop() {
      await Promise.all(underWay)
    },
  }
}
