import { type IncomingMessage, request as open, type ServerResponse } from 'node:http'

/** Passes a request on to `origin`, and the answer back as it comes; when one side closes, the other is closed. */
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
