import { type IncomingMessage, request as open, type ServerResponse } from 'node:http'

/** Hands a request on, and the answer back as it comes; whoever leaves is gone on both sides. */
export function forward(incoming: IncomingMessage, response: ServerResponse, origin: string): void {
  const { method, headers, url = '' } = incoming
  const onward = open(new URL(url, origin), { method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
    answer.on('error', () => response.destroy())
  })
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  incoming.pipe(onward)
}
