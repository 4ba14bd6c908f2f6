import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

/** What a listener on a Unix socket said. */
export interface SocketReply {
  readonly status: number
  readonly verdict: string | undefined
  readonly text: string
}

/** Asks a listener on a Unix socket. */
export async function askSocket(
  socketPath: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<SocketReply> {
  const sent = request({ socketPath, path, headers: { ...headers }, agent: false })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const piece of response) text += piece
  const verdict = response.headers['x-proxy-verdict']
  return { status: response.statusCode ?? 0, verdict: verdict as string | undefined, text }
}
