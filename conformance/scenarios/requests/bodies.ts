import type { ErrorCode } from '#contract/errors'
import { limits as defaults } from '#contract/limits'
import * as assert from '../../engine/assert.ts'
import { showing, shows } from '../../engine/checks.ts'
import { codeIn, expectChat, expectError, expectStatus } from '../../engine/expect.ts'
import { type Exchange, objectOf } from '../../engine/http/exchange.ts'
import { parsed } from '../../engine/http/json.ts'
import type { Definition } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'
import type { Topic } from '../../engine/topic.ts'

/** Longer than any answer of the scripted backend takes, shorter than others hold the memory (ours). */
const WAIT_MS = 400

const MOST_MEMBERS = 512

const MOST_VALUES = 1_000_000

/** What a key is refused with. */
const KEY_CODES: readonly ErrorCode[] = ['invalid_api_key', 'api_key_revoked', 'api_key_expired']

export default {
  'ambiguous-http': {
    rules: ['REQ-61', 'REQ-62'],
    title: 'Two Host or two Authorization headers are a 400, and a head beyond the limit is a 431',
    needs: ['key'],
    subjects: ['router', 'proxy'],
    async run(context) {
      const { host, pathname } = new URL(context.target.baseUrl)
      const head = `GET ${pathname}/models HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`
      shows('REQ-62')
      for (const more of [`Host: ${host}`, 'Authorization: Bearer a\r\nAuthorization: Bearer b']) {
        const answer = await context.client.raw(`${head}${more}\r\n\r\n`)
        assert.equal(answer.status, 400, `${more.split(':')[0]} twice is answered ${answer.status}`)
      }
      shows('REQ-61')
      const headers = { 'x-long': 'x'.repeat(20_000) }
      expectError(await context.client.send({ method: 'GET', path: '/models', headers }), 'headers_too_large')
    },
  },

  'body-memory': {
    rules: ['REQ-24', 'REQ-53'],
    title:
      'A large body waits while unfinished ones fill the memory of its workspace, and a small one does not',
    needs: ['generation', 'workspace', 'sibling'],
    subjects: ['router'],
    isExclusive: true,
    async run(context) {
      const { siblingUrl: baseUrl = '', limits } = context.target
      const { key } = await context.own()
      const { host, pathname } = new URL(baseUrl)
      const bytes = Math.floor(limits.maxBodyBytes * 0.9)
      const unfinished = [
        `POST ${pathname}/chat/completions HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}`,
        `Content-Type: application/json\r\nContent-Length: ${bytes + 1}\r\n\r\n{"user":"`.padEnd(bytes, 'x'),
      ].join('\r\n')
      const count = Math.ceil(limits.bodyMemoryBytes / bytes)
      // These fall silent, and are given up by the suite: when even a busy machine has brought all of them, and long
      // before what waits for their memory is refused.
      let areGone = false
      const others = Array.from({ length: count }, () =>
        context.client.raw(unfinished, { baseUrl, quietMs: defaults.bodyMemoryWaitMs / 2 }),
      )
      const gone = Promise.all(others).then(() => {
        areGone = true
      })
      let longestMs = 0
      while (!areGone) {
        shows('REQ-53')
        expectChat(await context.chat({}, { baseUrl }))
        shows()
        const exchange = await context.chat({ padding: 'x'.repeat(bytes / 2) }, { baseUrl })
        expectChat(exchange)
        longestMs = Math.max(longestMs, exchange.endMs)
      }
      await gone
      shows('REQ-24')
      assert.ok(longestMs > WAIT_MS, 'it was served beside more bodies than there is memory for')
    },
  },

  'encoded-body': {
    rules: ['REQ-60'],
    title: 'A body that is encoded answers 415 unsupported_media_type',
    expect: { error: 'unsupported_media_type' },
    steps: [
      { operation: 'createChatCompletion', headers: { 'Content-Encoding': 'gzip' } },
      { operation: 'createCompletion', headers: { 'Content-Encoding': 'deflate' } },
      { operation: 'createEmbedding', headers: { 'Content-Encoding': 'br' } },
    ],
  },

  'field-in-another-case': {
    rules: ['REQ-26'],
    title:
      'A field that differs from an honoured one by case alone answers unsupported_parameter and is named',
    operation: 'createChatCompletion',
    expect: { error: 'unsupported_parameter' },
    steps: [
      { body: { Temperature: 1 }, expect: { param: 'Temperature' } },
      { body: { MODEL: 'x' }, expect: { param: 'MODEL' } },
      { body: { Stream: true }, expect: { param: 'Stream' } },
    ],
  },

  'field-in-another-spelling': {
    rules: ['REQ-26', 'REQ-56'],
    title: 'A field that another parser takes for an honoured one answers unsupported_parameter and is named',
    operation: 'createChatCompletion',
    expect: { error: 'unsupported_parameter' },
    shows: ['REQ-26'],
    steps: [
      { body: { ſtream: true }, expect: { param: 'ſtream' } },
      { body: { max_toKens: 300 }, expect: { param: 'max_toKens' } },
      { body: { ' max_tokens': 300 }, expect: { param: ' max_tokens' } },
      {
        body: { stream_options: { Include_Usage: false } },
        expect: { param: 'stream_options.Include_Usage' },
        shows: ['REQ-56'],
      },
    ],
  },

  'field-twice': {
    rules: ['REQ-26'],
    title: 'A field that stands twice answers unsupported_parameter, however it is spelt',
    needs: ['key'],
    operation: 'createChatCompletion',
    expect: { error: 'unsupported_parameter' },
    steps: [
      {
        name: 'the same',
        text: '{"model":"{{model.chat}}","messages":[{"role":"user","content":"{{prompt}}"}],"model":"{{model.chat}}"}',
        expect: { param: 'model' },
      },
      {
        name: 'with an escape',
        text: '{"model":"{{model.chat}}","messages":[{"role":"user","content":"{{prompt}}"}],"mod\\u0065l":"other"}',
        expect: { param: 'model' },
      },
      {
        name: 'a field that nobody knows',
        text: '{"x":1,"model":"{{model.chat}}","messages":[{"role":"user","content":"{{prompt}}"}],"x":2}',
        expect: { param: 'x' },
      },
    ],
  },

  head: {
    rules: ['REQ-45'],
    title: 'HEAD answers as GET does, without a body, and is not found where there is no GET',
    needs: ['key'],
    async run(context) {
      const { key } = await context.own()
      for (const [operation, sent] of [
        ['listModels', key],
        ['listModels', null],
        ['getEvidence', null],
      ] as const) {
        const got = await context.request(operation, { key: sent })
        const head = await context.request(operation, { key: sent, method: 'HEAD' })
        expectStatus(head, got.status)
        assert.equal(head.headers['content-type'], got.headers['content-type'])
        assert.equal(head.body.length, 0, 'there is a body')
      }
      const posted = await context.client.send({ method: 'HEAD', path: '/chat/completions', key })
      expectStatus(posted, 404)
    },
  },

  'invalid-json': {
    rules: ['ERR-04'],
    title: 'A body that is no JSON object answers 400 invalid_json',
    operation: 'createChatCompletion',
    expect: { error: 'invalid_json' },
    steps: [
      { name: 'half an object', text: '{"model":' },
      { name: 'no JSON at all', text: 'model=a&stream=1' },
      { name: 'a comma too many', text: '{"model":"a",}' },
      { name: 'two objects', text: '{} {}' },
    ],
  },

  largest: {
    rules: ['REQ-43'],
    title: 'A body of just the limit is taken',
    needs: ['generation'],
    // A megabyte a second, for targets with a large limit.
    waitsMs: ({ maxBodyBytes }) => maxBodyBytes / 1_000,
    async run(context) {
      const { maxBodyBytes } = context.target.limits
      const text = (padding: string) =>
        JSON.stringify({
          model: context.model(),
          messages: [{ role: 'user', content: context.prompt }],
          padding,
        })
      const largest = text('x'.repeat(maxBodyBytes - Buffer.byteLength(text(''))))
      assert.equal(Buffer.byteLength(largest), maxBodyBytes)
      expectChat(await context.chat({}, { text: largest }))
      expectChat(await context.chat({}, { text: largest, isChunked: true }))
    },
  },

  'malformed-http': {
    rules: ['ERR-02'],
    title:
      'Bytes that are no HTTP break nothing: an error in JSON or no answer, and the next request is served',
    needs: ['key'],
    async run(context) {
      for (const bytes of [
        'nonsense\r\n\r\n',
        'GET /v1/models HTTP/9.9\r\n\r\n',
        '\x16\x03\x01\x02\x00\x01\x00',
      ]) {
        // Whoever waits for more of them has not answered.
        const { text, status } = await context.client.raw(bytes)
        assert.ok(status >= 400 || text === '', `it was answered: ${text.slice(0, 100)}`)
      }
      const next = await context.request('listModels')
      assert.notEqual(next.status, 0, 'the next request is not served')
      showing([], () => expectStatus(next, 200))
      assert.ok(Array.isArray(objectOf(next).data), 'the next request is not served')
    },
  },

  'messages-of-any-shape': {
    rules: ['REQ-27'],
    title: 'Messages are not validated; whatever shape they have reaches the backend',
    needs: ['backendScript'],
    backend: { chunks: ['yes'] },
    steps: [
      {
        operation: 'createChatCompletion',
        body: {
          messages: [
            { role: 'wizard', content: { deep: [1, null] } },
            { content: [[], { type: 'unheard' }] },
            { role: 'user', content: '{{prompt}}' },
          ],
        },
        expect: {
          sent: {
            messages: [
              { role: 'wizard', content: { deep: [1, null] } },
              { content: [[], { type: 'unheard' }] },
              { role: 'user', content: '{{prompt}}' },
            ],
          },
        },
      },
    ],
  },

  'messages-untouched': {
    rules: ['REQ-27'],
    title: 'Messages reach the backend byte for byte',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1 })
      const messages = `[ {"role":"user" ,"content":"\\u0048i ${context.prompt}","n":1.0}, {"role":"user","content":"\\ud83d\\ude80 🚀"} ]`
      const text = `{"messages":${messages},"model":"${context.model()}"}`
      expectStatus(await context.chat({}, { text }), 200)
      const [received] = await context.received()
      assert.ok(received?.body.includes(messages), `the backend received ${received?.body}`)
    },
  },

  'not-an-object': {
    rules: ['REQ-20'],
    title: 'JSON that is no object answers 400 invalid_json',
    operation: 'createChatCompletion',
    expect: { error: 'invalid_json' },
    steps: [
      { name: 'nothing', text: '' },
      { name: 'an array', text: '[]' },
      { name: 'null', text: 'null' },
      { name: 'a text', text: '"model"' },
      { name: 'a number', text: '7' },
      { name: 'a byte order mark before it', text: '\ufeff{}' },
      {
        name: 'no text',
        // {"model":"\xff\xfe"}: no UTF-8.
        bytes: 'eyJtb2RlbCI6Iv/+In0=',
      },
    ],
  },

  'openai-request': {
    rules: ['REQ-01', 'REQ-13'],
    title: "A request with all that OpenAI's schema knows is answered",
    shows: ['REQ-01', 'REQ-13'],
    steps: [
      {
        operation: 'createChatCompletion',
        body: {
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'developer', content: 'Be kind.' },
            {
              role: 'user',
              name: 'ann',
              content: [
                { type: 'text', text: 'Hello' },
                { type: 'text', text: '{{prompt}}' },
              ],
            },
            {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
            },
            { role: 'tool', tool_call_id: 'call_1', content: 'nothing' },
            { role: 'user', content: '{{prompt}}' },
          ],
          max_completion_tokens: 50,
          temperature: 0.5,
          top_p: 0.9,
          stop: ['zzz'],
          seed: 7,
          n: 1,
          user: 'somebody',
          response_format: { type: 'text' },
          tools: [
            { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
          ],
          tool_choice: 'none',
          parallel_tool_calls: true,
          reasoning_effort: 'low',
          frequency_penalty: 0,
          presence_penalty: 0,
          logit_bias: {},
          logprobs: false,
          metadata: { team: 'a' },
          store: false,
          service_tier: 'auto',
        },
        expect: { body: { choices: { $length: 1 } } },
      },
    ],
  },

  'order-of-checks': {
    rules: ['REQ-20', 'REQ-21'],
    title: 'Of two mistakes the one that is checked first is told',
    needs: ['workspace', 'model:other'],
    async run(context) {
      const account = await context.own({ scope: ['chat'], balanceMicros: 0 })
      const funded = await context.accounts.open({ scope: ['chat'] })
      const revoked = await context.accounts.addKey(account, { isRevoked: true })
      const fundedRevoked = await context.accounts.addKey(funded, { isRevoked: true })
      const other = context.model('other')
      const badly = (headers: Readonly<Record<string, string>>, body: { readonly text?: string } = {}) =>
        context.chat({}, { key: null, headers, ...body })
      const nobodys = (body: { readonly text?: string } = {}) =>
        context.chat({}, { key: `sk-tee-v1-${'B'.repeat(42)}A`, ...body })
      const twice = (fields: object) =>
        context.chat({}, { text: JSON.stringify({ ...fields, x: 1 }).replace(/}$/, ',"x":2}') })
      const noJson = { text: '{' }
      const alone = {
        'no key': () => context.chat({}, { key: null }),
        'another scheme': () => badly({ authorization: 'Basic c2s6' }),
        'half a key': () => badly({ authorization: 'Bearer sk-tee-v1-abc' }),
        'a cookie': () => badly({ cookie: `key=${funded.key}` }),
        'a key of nobody': () => nobodys(),
        'a revoked key': () => context.chat({}, { account: fundedRevoked }),
        'no JSON': () => context.chat({}, { account: funded, text: '{' }),
        'no messages': () => context.chat({}, { account: funded, omit: ['messages'] }),
        'unknown model': () => context.chat({ model: 'nowhere' }, { account: funded }),
        'out of scope': () => context.chat({ model: other }, { account: funded }),
        'three choices': () => context.chat({ n: 3 }, { account: funded }),
      }
      const cases: readonly (readonly [keyof typeof alone, string, ErrorCode, () => Promise<Exchange>])[] = [
        ['no key', 'no JSON', 'invalid_api_key', () => context.chat({}, { key: null, text: '{' })],
        [
          'another scheme',
          'no JSON',
          'invalid_api_key',
          () => badly({ authorization: 'Basic c2s6' }, noJson),
        ],
        [
          'half a key',
          'no JSON',
          'invalid_api_key',
          () => badly({ authorization: 'Bearer sk-tee-v1-abc' }, noJson),
        ],
        ['a cookie', 'no JSON', 'invalid_api_key', () => badly({ cookie: `key=${account.key}` }, noJson)],
        ['a key of nobody', 'no JSON', 'invalid_api_key', () => nobodys(noJson)],
        [
          'a revoked key',
          'no JSON',
          'api_key_revoked',
          () => context.chat({}, { account: revoked, text: '{' }),
        ],
        ['a revoked key', 'no credit', 'api_key_revoked', () => context.chat({}, { account: revoked })],
        ['no JSON', 'no credit', 'invalid_json', () => context.chat({}, { text: '{' })],
        [
          'no messages',
          'unknown model',
          'missing_field',
          () => context.chat({ model: 'nowhere' }, { omit: ['messages'] }),
        ],
        ['unknown model', 'two choices', 'model_not_found', () => context.chat({ model: 'nowhere', n: 2 })],
        ['out of scope', 'two choices', 'model_not_in_key_scope', () => context.chat({ model: other, n: 2 })],
        ['out of scope', 'no credit', 'model_not_in_key_scope', () => context.chat({ model: other })],
        ['no messages', 'a field twice', 'missing_field', () => twice({ model: context.model() })],
        [
          'unknown model',
          'a field twice',
          'model_not_found',
          () => twice({ model: 'nowhere', messages: [1] }),
        ],
        [
          'out of scope',
          'a field twice',
          'model_not_in_key_scope',
          () => twice({ model: other, messages: [1] }),
        ],
        ['three choices', 'no credit', 'unsupported_parameter', () => context.chat({ n: 3 })],
      ]
      for (const [first, second, code, ask] of cases) {
        // A mistake that is not told by itself has no place in the order.
        const one = await alone[first]()
        showing([], () => assert.equal(codeIn(one), code, `${first}: the code is ${codeIn(one)}`))
        const exchange = await ask()
        // Credit can be had by waiting, the other mistake cannot be mended so.
        shows('REQ-20', ...(second === 'no credit' ? (['REQ-21'] as const) : []))
        // Which mistake of a key it is has rules of its own: the key was checked first.
        const told = KEY_CODES.includes(code) ? KEY_CODES.find((one) => one === codeIn(exchange)) : code
        try {
          expectError(exchange, told ?? code)
        } catch (error) {
          if (error instanceof assert.AssertionError) error.message = `${first}, ${second}: ${error.message}`
          throw error
        }
      }
    },
  },

  'too-large': {
    rules: ['REQ-44'],
    title: 'A body beyond the limit answers 413 request_too_large, declared or not',
    needs: ['key'],
    // A megabyte a second, for targets with a large limit.
    waitsMs: ({ maxBodyBytes }) => maxBodyBytes / 1_000,
    async run(context) {
      const { maxBodyBytes } = context.target.limits
      const body = { padding: 'x'.repeat(maxBodyBytes) }
      expectError(await context.chat(body), 'request_too_large')
      expectError(await context.chat(body, { isChunked: true }), 'request_too_large')
      expectError(await context.chat({ ...body, stream: true }), 'request_too_large')
    },
  },

  'too-large-elsewhere': {
    rules: ['REQ-44'],
    title: 'Text completions and embeddings take no larger body than chat does',
    needs: ['key', 'model:completions', 'feature:embeddings', 'model:embeddings'],
    // A megabyte a second, for targets with a large limit.
    waitsMs: ({ maxBodyBytes }) => maxBodyBytes / 1_000,
    async run(context) {
      const body = { padding: 'x'.repeat(context.target.limits.maxBodyBytes) }
      for (const operation of ['createCompletion', 'createEmbedding'] as const) {
        expectError(await context.request(operation, { body }), 'request_too_large')
        expectError(await context.request(operation, { body, isChunked: true }), 'request_too_large')
      }
    },
  },

  'too-many-members': {
    rules: ['REQ-58'],
    title: 'A body with more members at its top than anybody means answers 413 request_too_large',
    needs: ['key'],
    async run(context) {
      const names = Array.from({ length: MOST_MEMBERS }, (_, index) => [`field_${index}`, 0])
      expectError(await context.chat(Object.fromEntries(names)), 'request_too_large')
    },
  },

  'too-many-values': {
    rules: ['REQ-52'],
    title: 'A body of more values than memory is for answers 413 request_too_large',
    needs: ['key'],
    async run(context) {
      const empty = Array.from({ length: MOST_VALUES / 2 }, () => ({}))
      expectError(await context.chat({ padding: empty }), 'request_too_large')
    },
  },

  'unknown-fields': unknown(false),
  'unknown-fields-bytes': {
    rules: ['REQ-70'],
    title: 'A field that the router does not know reaches the backend byte for byte',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1 })
      const unknown =
        '"big":12345678901234567890,"one":1.0,"exp":1E+2,"esc":"\\u00fc\\/","x":{"ü":[1.50,null],"model":"inner"}'
      const text = `{"model":"${context.model()}",${unknown},"messages":[{"role":"user","content":"${context.prompt}"}]}`
      expectStatus(await context.chat({}, { text }), 200)
      const [received] = await context.received()
      assert.ok(received?.body.includes(unknown), `the backend received ${received?.body}`)
    },
  },

  'unknown-fields-odd': {
    rules: ['REQ-70'],
    title: 'Unknown fields with odd names and deep values reach the backend byte for byte',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1 })
      const deep = `${'{"a":['.repeat(500)}1.0${']}'.repeat(500)}`
      const unknown = `"__proto__":{"n":2},"constructor":{"model":1},"":0,"a b":"\\u0000\\ud800","deep":${deep}`
      const text = `{${unknown},"model":"${context.model()}","messages":[{"role":"user","content":"${context.prompt}"}]}`
      for (const more of ['', ',"stream":true']) {
        const body = text.replace(/}$/, `${more}}`)
        expectStatus(await context.chat({}, { text: body }), 200)
      }
      const received = await context.received()
      assert.equal(received.length, 2)
      for (const { body } of received) assert.ok(body.includes(unknown), 'the backend received other bytes')
    },
  },

  'unknown-fields-streamed': unknown(true),
  'unknown-fields-streamed-bytes': {
    rules: ['REQ-70'],
    title: 'A field that the router does not know reaches the backend byte for byte in a stream as well',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1 })
      const unknown = '"min_p":0.050,"guided_json":{"b":1,"a":[2.0]},"chat_template_kwargs":{"thinking":true}'
      const text = `{"stream":true,"model":"${context.model()}","messages":[{"role":"user","content":"${context.prompt}"}],${unknown}}`
      expectStream(await context.chat({}, { text }))
      const [received] = await context.received()
      assert.ok(received?.body.includes(unknown), `the backend received ${received?.body}`)
    },
  },

  'unknown-path': {
    rules: ['REQ-45'],
    title: 'A path or a method that the contract does not know answers 404 not_found in JSON',
    needs: ['key'],
    expect: { error: 'not_found' },
    steps: [
      { name: 'another path', method: 'GET', path: '/absent' },
      { name: 'another path to post to', method: 'POST', path: '/chat/completion', text: '{}' },
      { name: 'another method of a path', method: 'DELETE', path: '/models' },
      { name: 'GET where a POST is due', method: 'GET', path: '/chat/completions' },
      { name: 'POST where a GET is due', method: 'POST', path: '/models', text: '{}' },
      { name: 'a slash at the end', method: 'GET', path: '/models/' },
      { name: 'the root', method: 'GET', path: '//' },
      { name: 'GET where texts are posted', method: 'GET', path: '/completions' },
      { name: 'an invitation without its code', method: 'GET', path: '/invites' },
      { name: 'POST to an invitation', method: 'POST', path: '/invites/2222-2222-2222', text: '{}' },
    ],
  },
} satisfies Topic

/** Fields that nobody knows, of every kind of value and far beyond the top, whole or streamed. */
function unknown(stream: boolean): Definition {
  return {
    rules: ['REQ-11'],
    title: `A field that the router does not know reaches the backend with its value${stream ? ' in a stream as well' : ''}`,
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1 })
      // How a value is written is left open; what it is worth is not.
      const fields = {
        min_p: 0.05,
        whole: 1,
        negative: -7.5,
        large: 9_007_199_254_740_991,
        escaped: 'ü / " \n 🚀',
        nothing: null,
        yes: true,
        guided_json: { b: 1, a: [2, [], {}, null], model: 'inner', messages: [] },
        chat_template_kwargs: { thinking: true, 'a b': '' },
      }
      const exchange = await context.chat({ ...fields, stream })
      if (stream) expectStream(exchange)
      else expectStatus(exchange, 200)
      const received = parsed((await context.received())[0]?.body)
      for (const [name, value] of Object.entries(fields))
        assert.deepEqual(
          received[name],
          value,
          `"${name}" came to the backend as ${JSON.stringify(received[name]) ?? 'nothing at all'}`,
        )
    },
  }
}
