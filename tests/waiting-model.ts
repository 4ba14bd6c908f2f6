import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A model whose streams go on only when a test has them go on. */
export interface WaitingModel {
  /** Base URL. */
  readonly url: string
  /** The answers that wait, in the order in which they were asked for; a test may empty it. */
  readonly waiting: ServerResponse[]
  close(): void
}

/** What a prompt has to hold for one word to come before it waits; without it nothing comes. */
export const A_WORD_FIRST = 'a word first'

const chunk = (choices: readonly unknown[], more: object = {}) =>
  `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`

/** One delta of a stream. */
export const delta = (content: string): string =>
  chunk([{ index: 0, delta: { content }, finish_reason: null }])

/** Its proper end. */
export const END = `${chunk([{ index: 0, delta: {}, finish_reason: 'stop' }])}${chunk([], {
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
})}data: [DONE]\n\n`

/** Starts it on a free port. */
export async function startWaitingModel(): Promise<WaitingModel> {
  const waiting: ServerResponse[] = []
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece as Buffer)
    const asked = Buffer.concat(pieces).toString()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (asked.includes(A_WORD_FIRST)) response.write(delta('first'))
    else response.flushHeaders()
    waiting.push(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    waiting,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
