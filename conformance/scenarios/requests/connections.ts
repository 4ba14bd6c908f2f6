import * as assert from '../../engine/assert.ts'
import { shows } from '../../engine/checks.ts'
import { expectChat, expectStatus } from '../../engine/expect.ts'
import type { Topic } from '../../engine/topic.ts'

export default {
  'behind-a-closing-answer': {
    rules: ['REQ-74'],
    title: 'What was sent behind a request whose answer closes the connection reaches no backend',
    needs: ['generation', 'backendScript'],
    subjects: ['router', 'proxy'],
    async run(context) {
      const { key } = await context.own()
      const { host, pathname } = new URL(context.target.baseUrl)
      const head = `Host: ${host}\r\nAuthorization: Bearer ${key}\r\n`
      const toChat = (version: string, more: object) => {
        const body = JSON.stringify({ model: context.model(), ...more })
        return `POST ${pathname}/chat/completions HTTP/${version}\r\n${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: keep-alive\r\n\r\n${body}`
      }
      const saying = (content: string) => [{ role: 'user', content }]
      await context.script({ chunks: 3, betweenChunksMs: 100 })
      shows()
      const closed: string[] = []
      for (const [name, first] of [
        ['one that wants it closed', `GET ${pathname}/models HTTP/1.1\r\n${head}Connection: close\r\n\r\n`],
        // To HTTP/1.0 an answer without a length ends with its connection.
        ['a stream of HTTP/1.0', toChat('1.0', { stream: true, messages: saying(context.prompt) })],
        ['a refused one', `GET ${pathname}/models HTTP/1.1\r\nHost: ${host}\r\n${head}\r\n`],
      ] as const) {
        const content = `${context.prompt} behind ${name}`
        const { text, isClosed } = await context.client.raw(
          first + toChat('1.1', { messages: saying(content) }),
        )
        if (isClosed && text.match(/HTTP\/1\.\d \d+/g)?.length === 1) closed.push(content)
      }
      assert.ok(closed.length > 0, 'no answer closes its connection')
      // Whoever serves what was behind does so while this one is asked for and answered.
      expectChat(await context.chat())
      const bodies = (await context.received()).map(({ body }) => body)
      assert.ok(bodies.length > 0, 'the backend received nothing')
      shows('REQ-74')
      for (const content of closed)
        assert.ok(!bodies.some((body) => body.includes(content)), `the backend received: ${content}`)
    },
  },

  'behind-an-upgrade': {
    rules: ['REQ-75'],
    title: 'The body of what follows a request that asks for another protocol is taken for no request',
    needs: ['key'],
    subjects: ['router', 'proxy'],
    async run(context) {
      const { key } = await context.own()
      const { host, pathname } = new URL(context.target.baseUrl)
      shows()
      expectStatus(await context.request('listModels'), 200)
      shows('REQ-75')
      const inner = `GET ${pathname}/models HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`
      for (const protocol of ['h2c', 'websocket']) {
        const first = `GET ${pathname}/absent HTTP/1.1\r\nHost: ${host}\r\nConnection: upgrade\r\nUpgrade: ${protocol}\r\n\r\n`
        const next = `POST ${pathname}/absent HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${inner.length}\r\n\r\n`
        // What a parser has read behind the first one, it may lose: the body comes by itself.
        const { text } = await context.client.raw([`${first}${next}`, inner])
        assert.match(text, /^HTTP\/1\.\d (?!101)\d+/, `${protocol} is begun, or nothing is answered`)
        assert.doesNotMatch(text, /HTTP\/1\.\d 200/, 'a part of a body is answered as a request')
      }
    },
  },
} satisfies Topic
