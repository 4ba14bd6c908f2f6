import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ChatEvent, readChat } from './events.ts'

async function read(...pieces: readonly Uint8Array[]): Promise<ChatEvent[]> {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  const events: ChatEvent[] = []
  for await (const event of readChat(stream)) events.push(event)
  return events
}

const encode = (text: string) => new TextEncoder().encode(text)
const say = (content: string) =>
  `data: ${JSON.stringify({ id: 'gen-1', choices: [{ delta: { content } }] })}\n\n`
const usage = { cost_micros: 23, prompt_tokens: 12, completion_tokens: 34 }
const end = `data: ${JSON.stringify({ id: 'gen-1', choices: [], usage })}\n\ndata: [DONE]\n\n`
const told = { kind: 'usage', id: 'gen-1', costMicros: 23, inputTokens: 12, outputTokens: 34 }

test('pings are passed over, and usage is told at the end', async () => {
  const stream = encode(`: ping\n\n${say('Hé')}${say('llo')}${end}`)
  expect(await read(stream)).toEqual([{ kind: 'text', text: 'Hé' }, { kind: 'text', text: 'llo' }, told])
})

test('it does not matter where a stream is cut, nor how its lines end', async () => {
  const text = `: ping\r\n\r\n${say('Ünï')}${say('🙂 done')}${end}`.replaceAll('\n\n', '\r\n\r\n')
  const bytes = encode(text)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 6 }), async (cuts) => {
      const places = [0, ...cuts.sort((one, other) => one - other), bytes.length]
      const pieces = places.slice(1).map((place, index) => bytes.slice(places[index], place))
      expect(await read(...pieces)).toEqual([
        { kind: 'text', text: 'Ünï' },
        { kind: 'text', text: '🙂 done' },
        told,
      ])
    }),
  )
})

test('an error event is told, in its words', async () => {
  const stream = `${say('Hel')}data: {"error":{"message":"The backend failed."}}\n\ndata: [DONE]\n\n`
  expect(await read(encode(stream))).toEqual([
    { kind: 'text', text: 'Hel' },
    { kind: 'failed', message: 'The backend failed.' },
  ])
})

test('a stream that ends without its mark has failed', async () => {
  expect((await read(encode(say('Hel')))).at(-1)).toMatchObject({ kind: 'failed' })
})
