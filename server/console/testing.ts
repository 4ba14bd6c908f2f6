import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Person } from './handlers.ts'

/** Somebody who is signed in. */
export function personOf(workspaceId: string): Person {
  return {
    sessionId: 'ses_1',
    accountId: 'acc_1',
    email: 'ada@example.com',
    workspaceId,
    isAdministrator: false,
  }
}

/** One answer on a real connection, seen from both ends; its reader reads nothing by itself. */
export interface Exchange {
  readonly response: ServerResponse
  readonly reader: IncomingMessage
  close(): void
}

/** Has `answer` answer a request over HTTP. */
export async function exchange(answer: (response: ServerResponse) => void): Promise<Exchange> {
  let response: ServerResponse | undefined
  const server = createServer((_, given) => {
    response = given
    answer(given)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  const [reader] = (await once(request, 'response')) as [IncomingMessage]
  return {
    response: response!,
    reader,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
