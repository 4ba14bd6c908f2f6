import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { CaughtMail } from './caught-mail.ts'

/** A mail server that delivers nothing. */
export interface Catcher {
  readonly port: number
  stop(): Promise<void>
}

/** Largest mail that it takes, and how long a stop waits for who is connected; ours. */
const MAX_MAIL_BYTES = 1_048_576
const CLOSE_MS = 100

/** Listens for SMTP and hands each mail on, numbered. */
export async function catchMails(host: string, onMail: (mail: CaughtMail) => void): Promise<Catcher> {
  let count = 0
  const server = new SMTPServer({
    // It stays on this machine, and knows nobody.
    disabledCommands: ['AUTH', 'STARTTLS'],
    size: MAX_MAIL_BYTES,
    closeTimeout: CLOSE_MS,
    disableReverseLookup: true,
    onData(stream, session, done) {
      read(stream, session, ++count).then(
        (mail) => {
          onMail(mail)
          done()
        },
        (error: Error) => done(error),
      )
    },
  })
  // A client that hangs up is no trouble of ours.
  server.on('error', () => {})
  server.listen(0, host)
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return { port, stop: () => new Promise((resolve) => server.close(() => resolve())) }
}

async function read(
  stream: SMTPServerDataStream,
  { envelope }: SMTPServerSession,
  id: number,
): Promise<CaughtMail> {
  const { subject = '', text = '' } = await PostalMime.parse(await buffer(stream))
  return { id, receivedAt: new Date(), to: envelope.rcptTo.map(({ address }) => address), subject, text }
}
