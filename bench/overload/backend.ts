import { createServer } from 'node:http'

/** A model that answers each request after so many milliseconds: its argument. */
const THINKS_MS = Number(process.argv[2])

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'tiny-chat',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
})
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) }

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    setTimeout(() => response.writeHead(200, headers).end(answer), THINKS_MS)
  })
})
server.keepAliveTimeout = 0
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.send?.(address?.port)
})
process.once('disconnect', () => process.exit())
