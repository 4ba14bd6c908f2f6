import { abortAfter, expectAbortedInBooks } from '../engine/aborted.ts'
import * as assert from '../engine/assert.ts'
import { costMicros } from '../engine/books.ts'
import { showing, shows } from '../engine/checks.ts'
import type { Context } from '../engine/context.ts'
import {
  expectChat,
  expectError,
  expectModel,
  expectRecord,
  expectStatus,
  expectSubset,
  recordIn,
} from '../engine/expect.ts'
import type { Exchange } from '../engine/http/exchange.ts'
import { parsed } from '../engine/http/json.ts'
import { type Charged, isNearlyPricedBy, isPricedBy, listedPrices, priceOf } from '../engine/prices.ts'
import { countTexts, expectFailedStream, expectStream, readStream } from '../engine/stream.ts'
import type { Topic } from '../engine/topic.ts'

/** Few pieces of many tokens each, as speculative decoding sends them; 101 bytes in all. */
const PIECES = ['x'.repeat(40), 'é'.repeat(20), 'x'.repeat(21)]

/** What a backend that folds names would read in place of what was judged. */
const HIDDEN: readonly Readonly<Record<string, unknown>>[] = [
  { stream: true, stream_options: { include_usage: true, Include_Usage: false } },
  { stream: true, stream_options: {}, ſtream_optionſ: { include_usage: false } },
  { stream: true, max_tokens: 1, max_tokenſ: 300 },
  { stream: true, max_tokens: 1, 'max_to\u212aens': 300 },
  { stream: false, ſtream: true },
  { meſſages: [{ role: 'user', content: 'another conversation' }] },
]

/** As many as the prompt and the answer of a small request can have. */
const TOKENS = 1_000

const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4_000)}` } }

export default {
  bounded: {
    rules: ['MET-15', 'MET-11'],
    title: 'Usage beyond what a request could use is billed, shown and recorded as what it could use',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      shows('MET-15')
      const body = { max_tokens: 5 }
      const asked = { stream: true, stream_options: { include_usage: true } }
      for (const completionTokens of [6, 999_999_999]) {
        await context.script({ chunks: 1, promptTokens: 12, completionTokens })
        for (const usage of [
          expectChat(await context.chat(body)).usage,
          expectStream(await context.chat({ ...body, ...asked })).usage,
        ]) {
          assert.deepEqual([usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens], [12, 5, 17])
        }
      }
      const { generations } = await context.books()
      // How many records there are, what tokens cost and that each is debited other scenarios show.
      shows()
      assert.ok(generations.length >= 4, `${generations.length} records for four generations`)
      for (const record of generations) {
        shows('MET-15', 'MET-11')
        assert.equal(record.usage_source, 'bounded')
        shows('MET-15')
        assert.equal(record.completion_tokens, 5)
        assert.equal(record.cost_micros, generations[0]?.cost_micros, 'the cost follows what was told')
      }
    },
  },

  'cap-by-another-name': {
    rules: ['CRED-40', 'MET-15'],
    title: 'A cap by a name that some backends put first is held and billed for, and reaches the backend',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1, promptTokens: 12, completionTokens: 300 })
      shows('CRED-40')
      for (const name of ['n_predict', 'max_new_tokens']) {
        const exchange = await context.chat({ max_tokens: 5, [name]: 300 })
        assert.equal(expectChat(exchange).usage.completion_tokens, 300)
      }
      const sent = (await context.received()).map(({ body }) => parsed(body) as Record<string, unknown>)
      assert.deepEqual(
        sent.map((body) => [body.max_tokens, body.n_predict ?? body.max_new_tokens]),
        [
          [5, 300],
          [5, 300],
        ],
      )
      const { generations } = await context.books()
      for (const { completion_tokens: tokens } of generations) assert.equal(tokens, 300)
      shows('MET-15')
      for (const { usage_source: source } of generations) assert.equal(source, 'backend')
    },
  },

  'bytes-counted': {
    rules: ['MET-09'],
    title:
      'Without usage a text counts as a quarter of its bytes where that is more, in streams and answers alike',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      await context.script({ chunks: PIECES, usage: 'none' })
      assert.equal(expectChat(await context.chat()).usage.completion_tokens, 26)
      const streamed = await context.chat({ stream: true, stream_options: { include_usage: true } })
      assert.equal(expectStream(streamed).usage?.completion_tokens, 26)
    },
  },

  'chat-template': {
    rules: ['CRED-41', 'MET-15'],
    title: 'A prompt that a chat template of the client makes longer is billed as the backend counts it',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      const { contextLength } = await priceOf(context)
      await context.script({ chunks: 1, promptTokens: contextLength, completionTokens: 1 })
      shows('CRED-41')
      const { usage } = expectChat(await context.chat({ chat_template: "{{ 'a ' * 1000000 }}" }))
      assert.equal(usage.prompt_tokens, contextLength)
      const [record] = (await context.books()).generations
      assert.equal(record?.prompt_tokens, contextLength)
      shows('MET-15')
      assert.equal(record.usage_source, 'backend')
    },
  },

  continuous: {
    rules: ['MET-08', 'RLAY-03'],
    title: 'With usage on every chunk an abort is metered exactly, and the client sees none of it',
    needs: ['workspace', 'books', 'backendScript', 'model:continuous'],
    // How far the stream gets before it is left is chance.
    isCompared: false,
    async run(context) {
      await context.script({ chunks: 400, betweenChunksMs: 15, promptTokens: 1_000, completionTokens: 4_000 })
      const call = await context.stream({ model: context.model('continuous') })
      const seen = await abortAfter(call, (soFar) => countTexts(soFar) >= 5)
      shows('RLAY-03')
      for (const { usage } of readStream(seen).chunks)
        assert.ok(usage === undefined || usage === null, 'usage was shown')
      shows('MET-08')
      const record = await metered(context, seen)
      assert.deepEqual([record.usage_source, record.prompt_tokens], ['backend', 1_000])
      // Ten tokens a piece, as the backend says, where counting would find one.
      assert.equal(record.completion_tokens % 10, 0)
      assert.ok(
        record.completion_tokens >= 50 && record.completion_tokens < 2_000,
        `${record.completion_tokens} tokens`,
      )
      shows('RLAY-03')
      const [received] = await context.received()
      expectSubset(parsed(received?.body).stream_options, { continuous_usage_stats: true }, 'stream_options')
    },
  },

  'continuous-whole': {
    rules: ['RLAY-03'],
    title: 'A stream with usage on every chunk of the backend shows it once, and only to whoever asked',
    needs: ['generation', 'backendScript', 'model:continuous'],
    async run(context) {
      await context.script({ chunks: 5, promptTokens: 10, completionTokens: 5 })
      const model = context.model('continuous')
      const unasked = expectStream(await context.chat({ model, stream: true }))
      for (const { usage } of unasked.chunks)
        assert.ok(usage === undefined || usage === null, 'usage was shown')
      const asked = expectStream(
        await context.chat({ model, stream: true, stream_options: { include_usage: true } }),
      )
      assert.equal(asked.usage?.completion_tokens, 5)
      assert.equal(asked.chunks.filter(({ usage }) => usage).length, 1)
    },
  },

  'deltas-counted': {
    rules: ['MET-09'],
    title: 'Without usage an aborted stream counts each delivered piece of text, reasoning and tool call',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      await context.script({
        reasoning: ['r', 's'],
        chunks: ['a', '', 'b'],
        toolCalls: [{ name: 'look', arguments: ['{"a"', ':1}'] }],
        usage: 'none',
        fault: { kind: 'cut', afterChunks: 99 },
      })
      const exchange = await context.chat({ stream: true })
      // How it is told of has rules of its own.
      showing([], () => expectFailedStream(exchange))
      const record = await metered(context, exchange)
      // Two of reasoning, two of text (the empty piece is none), two of the tool call.
      assert.equal(record.completion_tokens, 6)
      assert.equal(record.usage_source, 'counted')
    },
  },

  'every-failure': {
    rules: ['GEN-18'],
    title: 'However a backend fails an accepted request, it leaves one record and one debit',
    needs: ['workspace', 'debits', 'backendScript'],
    run: (context) =>
      booksOf(context, [
        { status: 500 },
        { status: 429 },
        { status: 404 },
        { status: 400 },
        { fault: { kind: 'refuse' } },
        { body: '<!doctype html>' },
      ]),
  },

  'every-outcome': {
    rules: ['SRV-09', 'GEN-03'],
    title: 'However a generation that has begun ends, it leaves one record and one debit',
    needs: ['workspace', 'debits', 'backendScript'],
    async run(context) {
      shows('SRV-09')
      await booksOf(context, [{ chunks: 3 }])
      shows('SRV-09', 'GEN-03')
      const began = [
        { chunks: 6, fault: { kind: 'cut', afterChunks: 2 } },
        { chunks: 6, fault: { kind: 'malformed', afterChunks: 2 } },
      ]
      await booksOf(context, began, [true])
    },
  },

  'folded-names': {
    rules: ['REQ-26', 'REQ-56'],
    title: 'No name that a backend in Go folds switches metering off, escapes the hold or hides the prompt',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      await context.script({ reads: 'go', chunks: 30, promptTokens: 500, completionTokens: 300 })
      shows('REQ-26', 'REQ-56')
      for (const fields of HIDDEN) expectError(await context.chat(fields), 'unsupported_parameter')
      assert.equal((await context.received()).length, 0, 'one of them reached the backend')
      await context.chat({ stream: true, stream_options: { include_usage: false, other: 1 } })
      const { generations } = await context.books()
      shows('REQ-56')
      assert.deepEqual(
        generations.map(({ prompt_tokens, completion_tokens }) => [prompt_tokens, completion_tokens]),
        [[500, 300]],
      )
    },
  },

  formula: {
    rules: ['MET-01', 'MET-02'],
    title: 'The debit is the tokens of prompt and completion at their prices per million',
    needs: ['workspace', 'debits', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1, promptTokens: 1_000, completionTokens: 3_000 })
      const { usage } = expectChat(await context.chat())
      shows('MET-01', 'MET-02')
      const prices = await listedPrices(context)
      assert.ok(isPricedBy(prices, [usage]), `${usage.cost_micros} follows from no two of ${prices}`)
      shows('MET-01')
      assert.equal((await context.debits()).rows.at(-1)?.amount_micros, 0 - usage.cost_micros)
    },
  },

  'free-model': {
    rules: ['WSP-15', 'CRED-17'],
    title: 'A model that is priced zero serves without credit, and its debits of zero are written',
    needs: ['workspace', 'books', 'model:free'],
    async run(context) {
      await context.own({ balanceMicros: 0 })
      shows('CRED-17')
      const model = context.model('free')
      assert.equal(expectChat(await context.chat({ model })).usage.cost_micros, 0)
      expectStream(await context.chat({ model, stream: true }))
      shows('WSP-15')
      const { entries, balance_micros: balance } = await context.books()
      assert.equal(entries.filter(({ kind }) => kind === 'generation').length, 2)
      assert.equal(balance, 0)
    },
  },

  'frozen-prices': {
    rules: ['MET-07'],
    title: 'A generation keeps the prices that were in force, whatever its model costs elsewhere or later',
    needs: ['workspace', 'books', 'backendScript', 'sibling'],
    subjects: ['router'],
    isExclusive: true,
    async run(context) {
      const baseUrl = context.target.siblingUrl
      const prices = await priceOf(context)
      const id = { params: { id: context.model() } }
      const elsewhere = expectModel(await context.request('getModel', { ...id, baseUrl })).pricing
      assert.notEqual(elsewhere.prompt_per_1m_micros, prices.promptMicros, 'both routers list the same price')
      await context.script({ chunks: 7, promptTokens: 1_001, completionTokens: 7 })
      const own = expectChat(await context.chat())
      const siblings = expectChat(await context.chat({}, { baseUrl }))
      const { generations } = await context.books()
      const pricesOf = (wanted: string) => {
        const found = generations.find((generation) => generation.id === wanted)
        return [found?.prompt_price_micros, found?.completion_price_micros]
      }
      assert.deepEqual(pricesOf(own.id), [prices.promptMicros, prices.completionMicros])
      assert.deepEqual(pricesOf(siblings.id), [
        elsewhere.prompt_per_1m_micros,
        elsewhere.completion_per_1m_micros,
      ])
      const read = await context.request('getGeneration', { query: { id: own.id }, baseUrl })
      assert.equal(recordIn(read).cost_micros, own.usage.cost_micros)
    },
  },

  'left-after-last-word': {
    rules: ['MET-14'],
    title:
      'Who leaves a stream when its answer is complete is billed what the backend tells of it within a second',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 3, usage: 'late', promptTokens: 500, completionTokens: 300 })
      const seen = await abortAfter(await context.stream(), ({ body }) => body.toString().includes('"stop"'))
      const {
        usage_source: source,
        prompt_tokens: prompt,
        completion_tokens: completion,
      } = await metered(context, seen)
      assert.deepEqual([source, prompt, completion], ['backend', 500, 300])
    },
  },

  'listed-prices': {
    rules: ['MET-02', 'MODL-03'],
    title: 'What is debited follows from the prices that the list of models tells',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1, promptTokens: TOKENS, completionTokens: 0 })
      const prompt = expectChat(await context.chat()).usage.cost_micros
      await context.script({ chunks: 1, promptTokens: 0, completionTokens: TOKENS })
      const completion = expectChat(await context.chat()).usage.cost_micros
      const listed = (await listedPrices(context)).map((price) => Math.ceil((TOKENS * price) / 1_000_000))
      shows('MET-02', 'MODL-03')
      assert.ok(
        listed.includes(prompt),
        `${TOKENS} prompt tokens cost ${prompt}, which follows from no listed price`,
      )
      assert.ok(
        listed.includes(completion),
        `${TOKENS} completion tokens cost ${completion}, which follows from no listed price`,
      )
    },
  },

  'malformed-usage': {
    rules: ['MET-13'],
    title: 'Usage that is no count is as good as none',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: ['a', 'b', 'c', 'd'], usage: 'malformed' })
      const { chunks } = expectStream(await context.chat({ stream: true }))
      const record = expectRecord(await context.record(chunks[0]?.id ?? ''))
      expectSubset(record, { usage_source: 'counted', completion_tokens: 4 }, 'the record')
    },
  },

  'one-rounding': {
    rules: ['MET-06'],
    title: 'Prompt and completion are summed before the one rounding',
    needs: ['generation', 'backendScript'],
    async run(context) {
      const prices = await priceOf(context)
      await context.script({ chunks: 1, promptTokens: 1, completionTokens: 1 })
      const { usage } = expectChat(await context.chat())
      const together = costMicros({ promptTokens: 1, completionTokens: 1 }, prices)
      const apart =
        costMicros({ promptTokens: 1, completionTokens: 0 }, prices) +
        costMicros({ promptTokens: 0, completionTokens: 1 }, prices)
      assert.notEqual(together, apart, 'the prices of this model cannot show it')
      assert.equal(usage.cost_micros, together)
    },
  },

  'prompt-by-tokenizer': {
    rules: ['MET-10'],
    title: 'Without usage a prompt counts as the backend’s tokenizer says, where one is configured',
    needs: ['generation', 'backendScript', 'model:tokenized'],
    async run(context) {
      const body = {
        model: context.model('tokenized'),
        messages: [{ role: 'user', content: `${context.prompt} ${'a '.repeat(99)}` }],
      }
      await context.script({ chunks: 1 })
      const told = expectChat(await context.chat(body)).usage.prompt_tokens
      await context.script({ chunks: 1, usage: 'none' })
      assert.equal(expectChat(await context.chat(body)).usage.prompt_tokens, told)
    },
  },

  'prompt-counted': {
    rules: ['MET-10'],
    title:
      'Without usage a prompt counts a quarter of the bytes of its texts, tool arguments and tool schemas, rounded up',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1, usage: 'none' })
      const content = `${context.prompt} Grüße`
      const args = '{"city":"Tōkyō"}'
      const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
      const messages = [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: args } }],
        },
        { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'rain' }] },
        { role: 'user', content: [{ type: 'text', text: content }, image] },
      ]
      const { usage } = expectChat(await context.chat({ messages, tools }))
      const bytes = ['Be brief.', args, 'rain', content, JSON.stringify(tools)].reduce(
        (sum, text) => sum + Buffer.byteLength(text),
        0,
      )
      assert.equal(usage.prompt_tokens, Math.ceil(bytes / 4))
    },
  },

  'rounded-up': {
    rules: ['MET-03', 'MET-01'],
    title: 'The debit is rounded up to the next micro-dollar',
    needs: ['generation', 'backendScript'],
    async run(context) {
      const told: Charged[] = []
      for (const [promptTokens, completionTokens] of [
        [12, 34],
        [1, 0],
        [0, 1],
        [7, 13],
        [999_999, 1],
      ]) {
        await context.script({ chunks: 1, promptTokens, completionTokens })
        told.push(expectChat(await context.chat()).usage)
      }
      const prices = await listedPrices(context)
      const problem = `${JSON.stringify(told)} follows from no two of ${prices}`
      // How a cost is rounded shows where it is that of these prices, but for a part of a micro-dollar.
      shows('MET-01')
      assert.ok(isNearlyPricedBy(prices, told), problem)
      shows('MET-01', 'MET-03')
      assert.ok(isPricedBy(prices, told), problem)
    },
  },

  'stream-options-kept': {
    rules: ['RLAY-02'],
    title: "The client's own stream options are merged with that wish and stay",
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 2 })
      expectStream(
        await context.chat({ stream: true, stream_options: { include_usage: false, other: { kept: 1 } } }),
      )
      const [received] = await context.received()
      assert.ok(received, 'nothing reached the backend')
      assert.deepEqual(parsed(received.body).stream_options, { include_usage: true, other: { kept: 1 } })
    },
  },

  'usage-asked': {
    rules: ['MET-05', 'RLAY-01'],
    title: 'The router asks the backend for the usage of every stream',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 2 })
      for (const wish of [
        {},
        { stream_options: { include_usage: false } },
        { stream_options: { include_usage: true } },
      ]) {
        expectStream(await context.chat({ stream: true, ...wish }))
      }
      shows('MET-05', 'RLAY-01')
      const received = await context.received()
      assert.equal(received.length, 3)
      for (const { body } of received) {
        expectSubset(parsed(body), { stream: true, stream_options: { include_usage: true } }, 'what was sent')
      }
    },
  },

  'whole-micros': {
    rules: ['WSP-04'],
    title: 'Debits are whole micro-dollars',
    needs: ['generation'],
    async run(context) {
      const capped = { max_tokens: 21 }
      const costs = [expectChat(await context.chat(capped)).usage.cost_micros]
      const { usage } = expectStream(
        await context.chat({ ...capped, stream: true, stream_options: { include_usage: true } }),
      )
      costs.push(Number(usage?.cost_micros))
      for (const cost of costs) assert.ok(Number.isInteger(cost) && cost > 0, `${cost} is no whole number`)
    },
  },

  'without-usage': {
    rules: ['MET-13', 'MET-11'],
    title: 'A finished answer without usage is metered as counted, and its record says so',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      await context.script({ chunks: ['one', ' two', ' three'], usage: 'none' })
      shows('MET-13')
      const { usage } = expectChat(await context.chat())
      assert.ok(usage.prompt_tokens > 0 && usage.completion_tokens > 0, 'nothing was counted')
      assert.ok(usage.cost_micros > 0, 'it was free')
      // 13 bytes are more than three pieces.
      const { chunks } = expectStream(await context.chat({ stream: true }))
      const streamed = expectRecord(await context.record(chunks[0]?.id ?? ''))
      expectSubset(streamed, { completion_tokens: 4 }, 'the record of the stream')
      shows('MET-13', 'MET-11')
      assert.equal(streamed.usage_source, 'counted')
      const { generations } = await context.books()
      for (const { usage_source: source } of generations) assert.equal(source, 'counted')
    },
  },

  zeros: {
    rules: ['MET-12', 'WSP-15'],
    title: 'Zeros that a backend reports are taken at its word, and the debit of zero is written',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 5, usage: 'zero' })
      shows('MET-12')
      const { usage } = expectChat(await context.chat())
      expectStream(await context.chat({ stream: true }))
      expectSubset(
        usage,
        { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cost_micros: 0 },
        'usage',
      )
      const { generations, entries } = await context.books()
      for (const generation of generations) {
        const zeros = {
          prompt_tokens: 0,
          completion_tokens: 0,
          cost_micros: 0,
          usage_source: 'backend',
        }
        expectSubset(generation, zeros, 'the record')
      }
      shows('WSP-15')
      assert.deepEqual(
        entries.filter(({ kind }) => kind === 'generation').map(({ amount_micros }) => amount_micros),
        [0, 0],
      )
    },
  },
} satisfies Topic

/** What the books hold of a stream that did not come to its end; that they call it aborted other scenarios show. */
function metered(context: Context, seen: Exchange) {
  return showing([], () => expectAbortedInBooks(context, seen))
}

/** Has a chat answered in each of these ways, and asserts that each left one record and one debit more. */
async function booksOf(
  context: Context,
  outcomes: readonly object[],
  streams = [false, true],
): Promise<void> {
  // Who accepts nothing leaves nothing.
  await showing([], async () => expectStatus(await context.chat(), 200))
  const before = (await context.debits()).generations.length
  const most = before + outcomes.length * streams.length
  for (const outcome of outcomes) {
    await context.script(outcome)
    for (const stream of streams) await context.chat({ stream })
  }
  await context.eventually('the records', async () => (await context.debits()).generations.length >= most)
  const { generations, rows } = await context.debits()
  assert.equal(generations.length, most)
  assert.equal(rows.filter(({ generation_id: id }) => id !== null).length, most)
}
