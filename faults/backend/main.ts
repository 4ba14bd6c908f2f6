import { createServer } from 'node:http'
import { answer } from './answer.ts'
import { readMark } from './manner.ts'

/** What the backend tells the run, as it happens: a request that came, and the first token of its answer. */
export interface Told {
  readonly kind: 'serving' | 'received' | 'token'
  readonly nonce: string
}

// A process of its own, so that it can be killed: node main.ts PORT WORD. It ends with whoever started it.
const [, , port, word = ''] = process.argv
const tell = (told: Told) => process.send?.(told)
process.once('disconnect', () => process.exit())

const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
  request.on('error', () => response.destroy())
  response.on('error', () => undefined)
  let text = ''
  try {
    for await (const piece of request) text += piece
  } catch {
    return
  }
  const marked = readMark(text)
  if (!marked) {
    response.writeHead(400, { 'content-type': 'application/json' }).end('{}')
    return
  }
  const { nonce, manner } = marked
  tell({ kind: 'received', nonce })
  const { stream: streamed = false } = JSON.parse(text) as { readonly stream?: boolean }
  await answer({ response, manner, streamed, word, onToken: () => tell({ kind: 'token', nonce }) })
})
server.listen(Number(port), '127.0.0.1', () => tell({ kind: 'serving', nonce: '' }))
