import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A mail as it came on the wire, and how. */
export interface ReceivedMail {
  readonly raw: string
  readonly isEncrypted: boolean
  readonly user: string | undefined
}

/** A mail server of a test. */
export interface TestMailServer {
  readonly port: number
  readonly mails: readonly ReceivedMail[]
  stop(): Promise<void>
}

/** Starts a mail server that takes everything, or what `options` let it. */
export async function startMailServer(options: SMTPServerOptions): Promise<TestMailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 100,
    disableReverseLookup: true,
    onData(stream, { secure, user }, done) {
      text(stream).then((raw) => {
        mails.push({ raw, isEncrypted: secure, user })
        done()
      }, done)
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return { port, mails, stop: () => new Promise((resolve) => server.close(() => resolve())) }
}
