import * as assert from '../engine/assert.ts'
import { showing, shows } from '../engine/checks.ts'
import type { Step } from '../engine/data/definition.ts'
import { expectChat, expectStatus, GENERATION_ID, generationIdOf, recordIn } from '../engine/expect.ts'
import { expectStream, readStream } from '../engine/stream.ts'
import { toldLate } from '../engine/told-late.ts'
import type { Topic } from '../engine/topic.ts'

export default {
  'cors-answer': {
    rules: ['HDR-13', 'HDR-14'],
    title: 'An answer to a page of an allowed origin may be read by it, headers of the contract included',
    needs: ['key', 'cors'],
    steps: [
      {
        operation: 'listModels',
        headers: { origin: '{{cors}}' },
        shows: { headers: ['HDR-14'] },
        expect: {
          headers: {
            'access-control-expose-headers': {
              $matches:
                '(?=.*x-request-id)(?=.*x-router-generation-id)(?=.*retry-after)(?=.*x-ratelimit-limit)(?=.*x-ratelimit-remaining)(?=.*x-ratelimit-reset)(?=.*x-proxy-verdict)',
            },
          },
        },
      },
      {
        name: 'a refusal',
        operation: 'listModels',
        key: 'none',
        headers: { origin: '{{cors}}' },
        expect: { error: 'invalid_api_key', headers: { 'access-control-allow-origin': '{{cors}}' } },
        shows: { headers: ['HDR-13'] },
      },
      {
        name: 'an answer',
        operation: 'createChatCompletion',
        headers: { origin: '{{cors}}' },
        expect: { headers: { 'access-control-allow-origin': '{{cors}}' } },
        shows: { headers: ['HDR-13'] },
      },
    ],
  },

  'cors-foreign': {
    rules: ['HDR-13'],
    title: 'A page of another origin may read nothing',
    // The proxy refuses such a page itself.
    subjects: ['router'],
    needs: ['key', 'cors'],
    expect: { headers: { 'access-control-allow-origin': { $absent: true } } },
    shows: { headers: ['HDR-13'] },
    steps: [
      { operation: 'listModels', headers: { origin: 'https://evil.example' } },
      {
        method: 'OPTIONS',
        path: '/chat/completions',
        key: 'none',
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
        expect: { status: 204 },
      },
    ],
  },

  'cors-preflight': {
    rules: ['HDR-13', 'HDR-15'],
    title: 'A preflight needs no key and reflects the headers that the browser asks for',
    needs: ['cors'],
    steps: [
      {
        method: 'OPTIONS',
        path: '/chat/completions',
        key: 'none',
        headers: {
          origin: '{{cors}}',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,x-stainless-os,x-stainless-lang',
        },
        shows: { status: ['HDR-15'], headers: ['HDR-13'] },
        expect: {
          status: 204,
          headers: {
            'access-control-allow-origin': '{{cors}}',
            'access-control-allow-methods': { $matches: 'POST' },
            'access-control-allow-headers': {
              $matches:
                '^(?=.*authorization)(?=.*content-type)(?=.*x-stainless-os)(?=.*x-stainless-lang)((authorization|content-type|x-stainless-os|x-stainless-lang)(, *|$)){4}$',
            },
          },
        },
      },
    ],
  },

  'generation-id': {
    rules: ['HDR-03'],
    title: 'X-Router-Generation-Id is the id of the generation, whole or streamed',
    needs: ['generation'],
    async run(context) {
      for (const stream of [false, true]) {
        const exchange = await context.chat({ stream })
        shows()
        if (stream) expectStream(exchange)
        else expectChat(exchange)
        shows('HDR-03')
        const told = generationIdOf(exchange)
        const { id } = stream ? (readStream(exchange).chunks[0] ?? {}) : expectChat(exchange)
        // An id of another form is wrong in the answer: what the header's would have to be is untold.
        showing([], () => assert.match(id, GENERATION_ID))
        assert.equal(told, id)
      }
    },
  },

  'generation-id-on-errors': {
    rules: ['HDR-10'],
    title: 'Every response of an accepted request names its generation, errors too',
    needs: ['generation', 'backendScript'],
    async run(context) {
      shows()
      const whole = await context.record(generationIdOf(await context.chat()))
      for (const script of [
        { status: 500 },
        { status: 401 },
        { status: 400 },
        { body: 'no JSON' },
        { fault: { kind: 'refuse' } },
      ]) {
        await context.script(script)
        for (const stream of [false, true]) {
          const exchange = await context.chat({ stream })
          shows()
          const isError = exchange.status >= 400 || toldLate(exchange) !== undefined
          assert.ok(isError, `${exchange.status} for ${JSON.stringify(script)}`)
          shows('HDR-10')
          const id = generationIdOf(exchange)
          // Where no record can be read, nothing tells whose id it is.
          if (whole.status === 200) expectStatus(await context.record(id), 200)
        }
      }
      shows()
      recordIn(whole)
    },
  },

  'none-from-backend': {
    rules: ['HDR-12'],
    title: "Of a backend's headers only the content type reaches the client",
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({
        chunks: 2,
        headers: {
          'x-backend': 'secret',
          'set-cookie': 'a=1',
          server: 'engine',
          'x-request-id': 'backend',
          'openai-version': '1',
        },
      })
      for (const stream of [false, true]) {
        const exchange = await context.chat({ stream }, { headers: { 'x-request-id': 'mine' } })
        shows()
        if (stream) expectStream(exchange)
        else expectChat(exchange)
        shows('HDR-12')
        for (const name of ['x-backend', 'set-cookie', 'openai-version']) {
          assert.equal(exchange.headers[name], undefined, `${name} of the backend reached the client`)
        }
        assert.notEqual(exchange.headers['x-request-id'], 'backend')
        assert.notEqual(exchange.headers.server, 'engine')
      }
    },
  },

  'none-to-backend': {
    rules: ['HDR-11'],
    title: "Of the client's headers only listed ones reach a backend: never its key, cookies or X-*",
    needs: ['generation', 'backendScript'],
    async run(context) {
      const canary = `canary${context.random.word(8)}`
      const headers = {
        cookie: `session=${canary}`,
        'x-openwebui-user-email': `${canary}@example.org`,
        'x-forwarded-for': '203.0.113.7',
        'x-stainless-os': canary,
        'user-agent': canary,
        referer: `https://${canary}.example`,
        'openai-organization': canary,
      }
      await context.script({ chunks: 1 })
      const { key } = await context.own()
      shows()
      expectStatus(await context.chat({}, { headers }), 200)
      expectStream(await context.chat({ stream: true }, { headers }))
      const received = await context.received()
      assert.equal(received.length, 2)
      shows('HDR-11')
      for (const request of received) {
        const shown = JSON.stringify(request.headers)
        assert.ok(!shown.includes(canary), `a header of the client reached the backend: ${shown}`)
        assert.ok(!shown.includes(key), 'the key reached the backend')
        assert.ok(!shown.includes('203.0.113.7'), 'the address of the client reached the backend')
      }
    },
  },

  'request-id-echo': {
    rules: ['HDR-02'],
    title: 'The X-Request-Id of a client comes back',
    shows: { headers: ['HDR-02'] },
    steps: [
      {
        operation: 'listModels',
        headers: { 'x-request-id': 'trace-42' },
        expect: { headers: { 'x-request-id': 'trace-42' } },
      },
      {
        name: 'on a refusal',
        operation: 'listModels',
        key: 'none',
        headers: { 'x-request-id': 'trace-43' },
        expect: { error: 'invalid_api_key', headers: { 'x-request-id': 'trace-43' } },
      },
      {
        name: 'on a stream',
        operation: 'createChatCompletion',
        headers: { 'x-request-id': 'trace-44' },
        body: { stream: true },
        expect: { stream: true, headers: { 'x-request-id': 'trace-44' } },
      },
      {
        name: 'on an answer',
        operation: 'createChatCompletion',
        headers: { 'x-request-id': '0af7651916cd43dd8448eb211c80319c' },
        expect: { headers: { 'x-request-id': '0af7651916cd43dd8448eb211c80319c' } },
      },
    ],
  },

  'request-id-made': {
    rules: ['HDR-09'],
    title: 'A request without an id is given one, on refusals too',
    expect: { headers: { 'x-request-id': { $matches: '^[!-~]{1,128}$' } } },
    shows: { headers: ['HDR-09'] },
    steps: [
      { operation: 'listModels' },
      { name: 'a refusal', operation: 'listModels', key: 'none', expect: { error: 'invalid_api_key' } },
      { name: 'an unknown path', method: 'GET', path: '/absent', expect: { error: 'not_found' } },
      { name: 'an answer', operation: 'createChatCompletion' },
    ],
  },

  'request-id-replaced': {
    rules: ['HDR-08'],
    title: 'An X-Request-Id that is not 1 to 128 visible ASCII characters is replaced',
    operation: 'listModels',
    shows: { headers: ['HDR-08'] },
    steps: [
      requestId('a blank', 'a b', '^(?!a)[!-~]{1,128}$'),
      requestId('129 characters', 'x'.repeat(129), '^(?!x)[!-~]{1,128}$'),
      requestId('128 characters come back', 'y'.repeat(128), '^y{128}$'),
      requestId('a letter beyond ASCII', 'café', '^(?!caf)[!-~]{1,128}$'),
    ],
  },
} satisfies Topic

/** A request with an id, and what the id of the answer has to match. */
function requestId(name: string, id: string, answered: string): Step {
  return {
    name,
    headers: { 'x-request-id': id },
    expect: { headers: { 'x-request-id': { $matches: answered } } },
  }
}
