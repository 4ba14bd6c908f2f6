import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'

/** What a test saw of one answer, as it came over the socket. */
export interface Exchange {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** The reads it came in. */
  readonly reads: readonly Buffer[]
  /** Whether it ended properly, or the socket broke. */
  readonly ended: boolean
}

/** A chat request with one question. */
export function chat(content: string, more: object = {}): object {
  return { model: 'tiny-chat', messages: [{ role: 'user', content }], ...more }
}

/** Posts a body and reads the whole answer, however it ends; rejects when not even headers come. */
export async function post(url: string, body: unknown): Promise<Exchange> {
  const [response] = await begin(url, body)
  const reads: Buffer[] = []
  response.on('data', (read: Buffer) => reads.push(read))
  const ended = await new Promise<boolean>((resolve) => {
    response.once('end', () => resolve(response.complete))
    response.once('error', () => resolve(false))
  })
  const text = Buffer.concat(reads).toString('utf8')
  return { status: response.statusCode ?? 0, headers: response.headers, text, reads, ended }
}

/** Posts a body and resolves as the headers come; the caller reads, or leaves. */
export async function begin(url: string, body: unknown): Promise<[IncomingMessage, ClientRequest]> {
  const client = request(url, { method: 'POST', agent: false })
  // A socket that breaks later is seen at the response; here it would end the test run.
  client.on('error', () => undefined)
  client.end(typeof body === 'string' ? body : JSON.stringify(body))
  const [response] = (await once(client, 'response')) as [IncomingMessage]
  return [response, client]
}

/** The JSON of each event, in order; `[DONE]` and what is no JSON stay texts. */
export function eventsOf(text: string): readonly unknown[] {
  const blocks = text
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n')
    .split('\n\n')
  return blocks.filter((block) => block.includes('data:')).map(dataOf)
}

function dataOf(block: string): unknown {
  const lines = block.split('\n').filter((line) => line.startsWith('data:'))
  const data = lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')
  try {
    return JSON.parse(data)
  } catch {
    return data
  }
}
