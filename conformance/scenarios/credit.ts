import { setTimeout as sleep } from 'node:timers/promises'
import type { RuleId } from '#contract/rules'
import { abortAfter, expectAborted } from '../engine/aborted.ts'
import * as assert from '../engine/assert.ts'
import { costMicros } from '../engine/books.ts'
import { shows } from '../engine/checks.ts'
import type { Context } from '../engine/context.ts'
import {
  codeIn,
  expectChat,
  expectError,
  expectRecord,
  expectStatus,
  expectSubset,
  generationIdOf,
} from '../engine/expect.ts'
import type { Call } from '../engine/http/call.ts'
import { parsed } from '../engine/http/json.ts'
import { holdFor, type Priced, priceOf } from '../engine/prices.ts'
import type { Definition, Description } from '../engine/scenario.ts'
import { countTexts, expectBegun, expectFailedStream, expectStream } from '../engine/stream.ts'
import type { ModelName } from '../engine/target.ts'
import type { Topic } from '../engine/topic.ts'

/** A lease, how often it is renewed, and how often tokens are put down (CRED-21, CRED-29). */
const LEASE_MS = 20_000
const RENEWAL_MS = 5_000
const CHECKPOINT_MS = 5_000
const CHUNK_MS = 100
/** Comes to its end after the lease has lapsed. */
const CHUNKS = (CHECKPOINT_MS * 2 + LEASE_MS * 1.5) / CHUNK_MS

/** Longer than a lease of 20 seconds, and than the 5 that a settlement is waited for (CRED-21, CRED-33). */
const OUTAGE_MS = 22_000

/** Time to take the database away before an answer comes (ours). */
const ANSWER_MS = 3_000
const OUTAGE_CHUNKS = 280

/** The router's own count: one for each text that was sent, or for each four bytes if that is more. */
function tokensOf(texts: readonly string[]): number {
  return Math.max(texts.length, Math.ceil(Buffer.byteLength(texts.join('')) / 4))
}

interface Holding extends Description {
  /** What the request shows that was sent, and what the hold; its one rule where they are left out. */
  readonly shown?: { readonly sent: readonly RuleId[]; readonly held: readonly RuleId[] }
  readonly model?: ModelName
  readonly body?: Readonly<Record<string, unknown>>
  /** Put behind the text of the prompt. */
  readonly parts?: readonly object[]
  /** Members of what the backend is sent; undefined for none. */
  readonly sent?: Readonly<Record<string, unknown>>
  readonly held: (
    prices: Priced,
    prompt: { readonly bodyBytes: number; readonly templateTokens: number },
  ) => number
}

export default {
  'balance-is-sum': {
    rules: ['WSP-16', 'CRED-27'],
    title: 'The balance is the sum of the ledger at any time, while requests end as well',
    needs: ['workspace', 'books'],
    // Which request ends first is chance.
    isCompared: false,
    async run(context) {
      await context.own({ balanceMicros: 1_000_000 })
      const running = Promise.all(
        Array.from({ length: 8 }, (_, index) => context.chat({ stream: index % 2 === 0 })),
      )
      shows('WSP-16')
      for (let look = 0; look < 5; look++) {
        const { balance_micros: balance, entries } = await context.books()
        const sum = entries.reduce((total, { amount_micros }) => total + amount_micros, 0)
        assert.equal(balance, sum)
      }
      shows()
      for (const { status } of await running) assert.equal(status, 200)
      const { balance_micros: balance, entries } = await context.books()
      shows('CRED-27')
      assert.equal(entries.length, 9)
      assert.equal(entries.at(-1)?.balance_after_micros, balance)
    },
  },

  'below-zero-by-own-cost': {
    rules: ['CRED-02'],
    title: 'One generation can take the balance below zero by its own cost, and the next is refused',
    needs: ['workspace', 'debits', 'backendScript'],
    async run(context) {
      await context.own({ balanceMicros: 5 })
      await context.script({ chunks: 1, promptTokens: 1_000, completionTokens: 10_000 })
      const first = await context.chat()
      // Given says both: it may end below zero, and what would end there is refused (CRED-36). Who refuses it keeps this, too.
      if (codeIn(first) === 'insufficient_credits')
        return assert.equal((await context.debits()).balance_micros, 5)
      const { usage } = expectChat(first)
      assert.equal((await context.debits()).balance_micros, 5 - usage.cost_micros)
      expectError(await context.chat(), 'insufficient_credits')
    },
  },

  'books-agree': {
    rules: ['WSP-16'],
    title: 'Ledger, records, balances and holds of all workspaces agree',
    needs: ['workspace', 'verifyLedger'],
    async run(context) {
      expectChat(await context.chat())
      const { workspaceId } = await context.own()
      const { differences } = await context.hooks('verifyLedger', {})
      const own = differences.filter((difference) => difference.workspace_id === workspaceId)
      assert.deepEqual(
        own.filter(({ check }) => /balance/i.test(check)),
        [],
      )
      // Costs, holds and spends that do not agree are no balance's fault.
      shows()
      assert.deepEqual(own, [])
    },
  },

  'credit-before-spend': {
    rules: ['REQ-20'],
    title: 'A lack of credit is told before a spend limit',
    needs: ['workspace'],
    async run(context) {
      await context.own({ balanceMicros: 0, spendLimitMicros: 0 })
      expectError(await context.chat(), 'insufficient_credits')
    },
  },

  hold: {
    rules: ['CRED-05', 'CRED-06', 'CRED-09', 'CRED-37'],
    title:
      "While a request runs it holds the most that it can cost: its bytes and the template, and the model's largest output",
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      const prices = await priceOf(context)
      await stall(context)
      const text = bodyOfLength(context, 400)
      const call = await context.open('createChatCompletion', { text })
      const { holds } = await booksWhileRunning(context)
      const outputCap = prices.maxOutputTokens
      const { templateTokens } = context.target.limits
      const [hold, ...others] = holds
      shows('CRED-05')
      assert.ok(hold !== undefined && others.length === 0, `there are ${holds.length} holds`)
      const isExample = isOfExample(prices) && templateTokens === 1_024
      shows('CRED-05', 'CRED-06', ...(isExample ? (['CRED-37'] as const) : []))
      assert.equal(hold.amount_micros, holdFor(prices, { bodyBytes: 400, outputCap, templateTokens }))
      shows('CRED-09')
      const [received] = await context.received()
      assert.equal(parsed(received?.body).max_tokens, outputCap, 'the cap was not sent to the backend')
      call.abort()
    },
  },

  'hold-durable': {
    rules: ['CRED-26'],
    title: 'The hold stands before the backend is called',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      await context.script({ fault: { kind: 'silence' } })
      const call = await context.open('createChatCompletion')
      await context.eventually('the backend is called', async () => (await context.received()).length > 0)
      const { holds, generations, entries } = await context.books()
      assert.equal(holds.length, 1)
      assert.deepEqual(generations, [])
      assert.ok(entries.every(({ kind }) => kind !== 'generation'))
      call.abort()
    },
  },

  'hold-small-model': holding({
    rules: ['CRED-10', 'CRED-11'],
    title:
      'Where prompt and largest output do not fit the context no cap is sent, and the context length is held',
    model: 'small',
    sent: { max_tokens: undefined, max_completion_tokens: undefined },
    shown: { sent: ['CRED-10'], held: ['CRED-10', 'CRED-11'] },
    held: (prices, prompt) => holdFor(prices, { ...prompt, outputCap: prices.contextLength }),
  }),

  'hold-small-model-with-cap': holding({
    rules: ['CRED-11'],
    title: "The prompt never lowers the client's cap",
    model: 'small',
    body: { max_tokens: 4_096 },
    sent: { max_tokens: 4_096 },
    held: (prices, prompt) => holdFor(prices, { ...prompt, outputCap: 4_096 }),
  }),

  'hold-with-cap': holding({
    rules: ['CRED-08', 'CRED-05'],
    title: "The client's own cap is what is held for the output",
    body: { max_tokens: 1_000 },
    sent: { max_tokens: 1_000 },
    shown: { sent: ['CRED-08'], held: ['CRED-08', 'CRED-05'] },
    held: (prices, prompt) => holdFor(prices, { ...prompt, outputCap: 1_000 }),
  }),

  'hold-with-image': holding({
    rules: ['CRED-07'],
    title: 'A part that is no text makes the prompt count as the whole context',
    body: { max_tokens: 10 },
    parts: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
    held: (prices) => costMicros({ promptTokens: prices.contextLength, completionTokens: 10 }, prices),
  }),

  'hold-with-large-cap': holding({
    rules: ['CRED-08'],
    title: 'A cap beyond the context is held as the context length',
    body: { max_tokens: 2_000_000_000 },
    held: (prices, prompt) => holdFor(prices, { ...prompt, outputCap: prices.contextLength }),
  }),

  'lapsed-lease': {
    rules: ['CRED-21', 'CRED-23', 'CRED-29', 'CRED-30'],
    title:
      'What a router has left behind is settled once its lease has lapsed, with the tokens it last put down, and its answer then ends with an error',
    needs: ['workspace', 'books', 'backendScript', 'spare', 'spareWire'],
    subjects: ['router'],
    waitsMs: () => CHUNKS * CHUNK_MS,
    async run(context) {
      await context.script({ chunks: CHUNKS, betweenChunksMs: CHUNK_MS })
      const begunMs = performance.now()
      const call = await context.stream({}, { baseUrl: context.target.spareUrl })
      await expectBegun(call, 2)
      const id = generationIdOf(call.exchange)
      await sleep(CHECKPOINT_MS * 1.5)
      await context.wire('spareWire').cut()
      // On a busy machine this reader may be behind; more than the backend had sent by now nobody has delivered.
      const sent = Math.ceil((performance.now() - begunMs) / CHUNK_MS)
      let booked: number
      try {
        // The last renewal is this old at the most.
        await sleep(LEASE_MS - RENEWAL_MS * 1.5)
        shows('CRED-21')
        assert.equal((await context.books()).holds.length, 1, 'its hold is gone before its lease has lapsed')
        shows('CRED-29')
        const record = await context.eventually(
          'what was left behind is settled',
          async () => (await context.books()).generations.find((one) => one.id === id),
          LEASE_MS,
        )
        assert.equal(record.status, 'aborted')
        assert.ok(record.completion_tokens > 0, 'nothing was put down')
        booked = record.completion_tokens
        assert.deepEqual((await context.books()).holds, [])
      } finally {
        await context.wire('spareWire').mend()
      }
      shows('CRED-30')
      const { error, chunks } = expectFailedStream(await call.done)
      assert.equal(error.code, 'internal')
      const texts = chunks.flatMap(({ choices }) => choices[0]?.delta.content || [])
      const most = tokensOf(texts.slice(0, sent))
      shows('CRED-23')
      assert.ok(booked <= most, `${booked} tokens are booked, at most ${most} had been delivered`)
      shows('CRED-29')
      assert.equal((await context.books()).generations.length, 1, 'it was settled a second time')
    },
  },

  'ledger-row': {
    rules: ['WSP-11', 'WSP-12', 'WSP-13', 'WSP-09', 'GEN-21'],
    title: 'The row of a generation has its members, its kind, and the key that no second row can have',
    needs: ['workspace', 'books'],
    async run(context) {
      const { id, usage } = expectChat(await context.chat())
      const { entries, balance_micros: balance } = await context.books()
      const row = entries.at(-1)
      shows('WSP-12')
      assert.equal(row?.kind, 'generation')
      shows('WSP-13')
      assert.equal(row.idempotency_key, `generation:${id}`)
      shows('WSP-11')
      expectSubset(
        row,
        {
          amount_micros: 0 - usage.cost_micros,
          balance_after_micros: balance,
          reference: id,
        },
        'the row',
      )
      assert.equal(typeof row.description, 'string')
      assert.ok(Math.abs(Date.parse(row.created_at) - Date.now()) < 60_000)
      shows('WSP-09')
      assert.match(row.id, /^led_[0-9A-HJKMNP-TV-Z]{26}$/)
      shows('GEN-21')
      const record = expectRecord(await context.record(id))
      expectSubset(record.ledger, { id: row.id, amount_micros: 0 - usage.cost_micros }, 'ledger')
    },
  },

  'no-credit': {
    rules: ['ERR-11', 'ERR-24'],
    title: 'A workspace without credit answers 402 insufficient_credits',
    operation: 'createChatCompletion',
    shows: ['ERR-11', 'ERR-24'],
    expect: { error: 'insufficient_credits' },
    steps: [{ key: 'poor' }, { key: 'poor', body: { stream: true } }],
  },

  'no-credit-chosen': {
    rules: ['CRED-15', 'CRED-13'],
    title: 'A balance of zero or below is refused before anything runs, with no Retry-After',
    account: { balanceMicros: -1 },
    shows: { error: ['CRED-15', 'CRED-13'], headers: ['CRED-15'] },
    steps: [
      {
        operation: 'createChatCompletion',
        expect: {
          error: 'insufficient_credits',
          headers: { 'retry-after': { $absent: true }, 'x-router-generation-id': { $absent: true } },
        },
      },
    ],
  },

  'ended-holds-nothing': {
    rules: ['CRED-13', 'CRED-27'],
    title: 'What ended holds nothing any more, of its workspace or of its key',
    needs: ['workspace', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1 })
      // A request may cost some 600 micro-dollars, and costs a few.
      const rich = await context.own({ balanceMicros: 1_500 })
      const capped = await context.accounts.open({ spendLimitMicros: 1_500 })
      shows('CRED-13', 'CRED-27')
      for (const account of [rich, capped])
        for (let turn = 0; turn < 6; turn++)
          expectChat(await context.chat({ max_tokens: 1_000 }, { account }))
    },
  },

  'no-false-refusal': {
    rules: ['CRED-13'],
    title: 'Twenty requests at once on five dollars are all admitted',
    needs: ['workspace'],
    async run(context) {
      await context.own({ balanceMicros: 5_000_000 })
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => context.chat({ stream: index % 2 === 0 })),
      )
      for (const [index, answer] of answers.entries())
        index % 2 === 0 ? expectStream(answer) : expectChat(answer)
    },
  },

  'no-hold-left': {
    rules: ['CRED-28', 'CRED-31', 'CRED-27'],
    title: 'After any outcome no hold is left, and the key has spent what its generations cost',
    needs: ['workspace', 'books', 'backendScript'],
    // How far the last stream gets before it is left is chance.
    isCompared: false,
    async run(context) {
      const scripts = [
        { chunks: 2 },
        { status: 500 },
        { status: 400 },
        { chunks: 5, fault: { kind: 'cut', afterChunks: 2 } },
        { chunks: 5, fault: { kind: 'error', afterChunks: 2 } },
        { fault: { kind: 'refuse' } },
      ]
      for (const script of scripts) {
        await context.script(script)
        await Promise.all([context.chat(), context.chat({ stream: true })])
      }
      await context.script({ chunks: 400, betweenChunksMs: 20 })
      await abortAfter(await context.stream(), (soFar) => countTexts(soFar) >= 2)
      shows('CRED-31')
      await context.eventually('no hold is left', async () => (await context.books()).holds.length === 0)
      const { keys, generations } = await context.books()
      shows('CRED-28')
      assert.equal(generations.length, scripts.length * 2 + 1)
      shows('CRED-27')
      assert.equal(
        keys[0]?.spent_micros,
        generations.reduce((sum, { cost_micros }) => sum + cost_micros, 0),
      )
    },
  },

  'one-in-flight': {
    rules: ['CRED-39', 'CRED-16'],
    title:
      'With a balance of one micro-dollar and one request in flight the next is 402, told to come back in a second',
    needs: ['workspace', 'backendScript'],
    async run(context) {
      await context.own({ balanceMicros: 1 })
      await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 2 } })
      const call = await context.stream()
      await expectBegun(call, 2)
      const refused = await context.chat()
      shows('CRED-39')
      const { message } = expectError(refused, 'insufficient_credits')
      shows('CRED-16')
      assert.equal(refused.headers['retry-after'], '1')
      assert.match(message, /running|flight|hold|held/i)
      call.abort()
    },
  },

  'one-micro-dollar': {
    rules: ['CRED-25', 'CRED-36', 'CRED-38', 'CRED-13'],
    title: 'A balance of one micro-dollar admits while nothing is in flight',
    account: { balanceMicros: 1 },
    backend: { chunks: 5, promptTokens: 100, completionTokens: 100 },
    operation: 'createChatCompletion',
    steps: [
      { expect: { body: { choices: { $length: 1 } } }, shows: ['CRED-25', 'CRED-36', 'CRED-38'] },
      { name: 'afterwards', expect: { error: 'insufficient_credits' }, shows: ['CRED-13'] },
    ],
  },

  outage: {
    rules: ['CRED-22', 'CRED-33', 'ERR-42'],
    title:
      'While every router has lost the database, what ends is a 500 internal and booked as aborted later, and nobody settles what still runs',
    needs: [
      ...(['workspace', 'books', 'backendScript', 'sibling'] as const),
      ...(['databaseWire', 'siblingWire', 'spareWire'] as const),
    ],
    subjects: ['router'],
    isExclusive: true,
    waitsMs: () => ANSWER_MS + OUTAGE_MS,
    async run(context) {
      const wires = (['databaseWire', 'siblingWire', 'spareWire'] as const).map((name) => context.wire(name))
      const running = await longStreams(context)
      await context.script({ chunks: 10, beforeHeadersMs: ANSWER_MS })
      const [stream, whole] = [await context.stream(), await context.open('createChatCompletion')]
      await context.eventually('all are under way', async () => (await context.received()).length === 4)
      await Promise.all(wires.map((wire) => wire.cut()))
      await sleep(OUTAGE_MS).finally(() => Promise.all(wires.map((wire) => wire.mend())))

      const ended = [await stream.done, await whole.done] as const
      shows('CRED-33')
      const { error } = expectFailedStream(ended[0])
      assert.deepEqual([error.code, error.type], ['internal', 'server_error'])
      expectError(ended[1], 'internal')
      shows('ERR-42')
      assert.equal(ended[1].headers['x-should-retry'], 'false')
      shows('CRED-22')
      const ranOn = await Promise.all(running.map(({ done }) => done))
      for (const exchange of ranOn) {
        expectStatus(exchange, 200)
        expectStream(exchange)
      }
      shows('CRED-33')
      const records = await context.eventually('all are settled', async () => {
        const { generations } = await context.books()
        return generations.length === 4 && new Map(generations.map((record) => [record.id, record]))
      })
      for (const exchange of ended) assert.equal(records.get(generationIdOf(exchange))?.status, 'aborted')
      const tokens = ended.map((exchange) => records.get(generationIdOf(exchange))?.completion_tokens)
      assert.deepEqual(tokens, [10, 0], 'of the stream all was delivered, of the answer nothing')
      shows('CRED-22')
      for (const exchange of ranOn) {
        const record = records.get(generationIdOf(exchange))
        assert.deepEqual([record?.status, record?.completion_tokens], ['ok', OUTAGE_CHUNKS])
      }
    },
  },

  parallel: {
    rules: ['CRED-14', 'CRED-02'],
    title:
      'Of many requests at once on credit for one, the balance ends below zero by the cost of one at most',
    needs: ['workspace', 'debits', 'backendScript'],
    // Which of them are admitted is chance.
    isCompared: false,
    async run(context) {
      await context.own({ balanceMicros: 1 })
      expectStatus(await context.chat({}, { account: await context.accounts.open() }), 200)
      await context.script({
        chunks: 3,
        beforeFirstChunkMs: 100,
        promptTokens: 1_000,
        completionTokens: 1_000,
      })
      await Promise.all(Array.from({ length: 24 }, (_, index) => context.chat({ stream: index % 2 === 0 })))
      const { balance_micros: balance, generations } = await context.debits()
      // A router may refuse all of them: each would bring the balance below zero.
      const cost = Math.max(0, ...generations.map(({ cost_micros }) => cost_micros))
      shows('CRED-02', 'CRED-14')
      assert.ok(balance >= 1 - cost, `the balance is ${balance}, one costs ${cost}`)
    },
  },

  'refused-sends-nothing': {
    rules: ['CRED-15'],
    title: 'A refusal for credit sends nothing and books nothing',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      await context.own({ balanceMicros: 0 })
      expectError(await context.chat(), 'insufficient_credits')
      expectError(await context.chat({ stream: true }), 'insufficient_credits')
      assert.deepEqual(await context.received(), [])
      const { generations, holds, entries } = await context.books()
      assert.deepEqual([generations, holds, entries], [[], [], []])
    },
  },

  'spend-limit': {
    rules: ['KEY-11', 'ERR-25'],
    title:
      'A key that has reached its spend limit is refused, whatever the workspace still has, and other keys go on',
    needs: ['workspace'],
    async run(context) {
      const account = await context.own({ spendLimitMicros: 1, balanceMicros: 5_000_000 })
      expectStatus(await context.chat(), 200)
      shows('KEY-11', 'ERR-25')
      expectError(await context.chat(), 'key_spend_limit_reached')
      expectError(await context.chat({ stream: true }), 'key_spend_limit_reached')
      shows('KEY-11')
      expectStatus(await context.chat({}, { account: await context.accounts.addKey(account) }), 200)
    },
  },

  'spend-limit-in-flight': {
    rules: ['CRED-24', 'CRED-42'],
    title:
      'What runs counts towards the spend limit of its key, and a refusal for that alone says when to come back',
    needs: ['workspace', 'debits', 'backendScript'],
    async run(context) {
      await context.own({ spendLimitMicros: 1 })
      await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 2 } })
      const call = await context.stream()
      await expectBegun(call, 2)
      const held = await context.chat()
      shows('CRED-24')
      expectError(held, 'key_spend_limit_reached')
      shows('CRED-42')
      assert.equal(held.headers['retry-after'], '1')
      call.abort()
      shows()
      await expectAborted(context, call.exchange)
      const spent = await context.chat()
      shows('CRED-24')
      expectError(spent, 'key_spend_limit_reached')
      shows('CRED-42')
      assert.equal(spent.headers['retry-after'], undefined)
    },
  },

  'spend-limit-in-parallel': {
    rules: ['CRED-24'],
    title: 'Of many requests at once on a spend limit for one, the key overshoots by one at most',
    needs: ['workspace', 'backendScript'],
    // Which of them is admitted is chance.
    isCompared: false,
    async run(context) {
      await context.own({ spendLimitMicros: 1 })
      await context.script({ chunks: 3, beforeFirstChunkMs: 100 })
      const answers = await Promise.all(Array.from({ length: 16 }, () => context.chat()))
      const admitted = answers.filter(({ status }) => status === 200)
      for (const refusal of answers.filter(({ status }) => status !== 200))
        expectError(refusal, 'key_spend_limit_reached')
      assert.equal(admitted.length, 1)
    },
  },

  'spend-limit-reached': {
    rules: ['ERR-12', 'KEY-11'],
    title: 'A key that has used up its spend limit answers 402 key_spend_limit_reached',
    operation: 'createChatCompletion',
    shows: ['ERR-12', 'KEY-11'],
    expect: { error: 'key_spend_limit_reached' },
    steps: [{ key: 'capped' }, { key: 'capped', body: { stream: true } }],
  },

  'topped-up': {
    rules: ['CRED-01', 'ERR-24'],
    title: 'Credit that is added serves again',
    needs: ['workspace', 'setBalance'],
    async run(context) {
      const { workspaceId = '' } = await context.own({ balanceMicros: 0 })
      shows('ERR-24')
      expectError(await context.chat(), 'insufficient_credits')
      shows()
      await context.hooks('setBalance', { workspace_id: workspaceId, balance_micros: 1_000_000 })
      shows('CRED-01')
      expectStatus(await context.chat(), 200)
    },
  },
} satisfies Topic

/** Whether a model is that of the example (CRED-37). */
function isOfExample({ promptMicros, completionMicros, contextLength }: Priced): boolean {
  return promptMicros === 150_000 && completionMicros === 600_000 && contextLength === 32_768
}

/** A request of exactly so many bytes. */
function bodyOfLength(context: Context, bytes: number): string {
  const body = (padding: string) =>
    JSON.stringify({
      model: context.model(),
      stream: true,
      messages: [{ role: 'user', content: `${context.prompt}${padding}` }],
    })
  const text = body('x'.repeat(bytes - Buffer.byteLength(body(''))))
  assert.equal(Buffer.byteLength(text), bytes)
  return text
}

async function stall(context: Context): Promise<void> {
  await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 1 } })
}

async function booksWhileRunning(context: Context): ReturnType<Context['books']> {
  await context.eventually('the backend is called', async () => (await context.received()).length > 0)
  return context.books()
}

/** A stream at the router and one at its sibling that outlast the outage. */
async function longStreams(context: Context): Promise<readonly Call[]> {
  await context.script({ chunks: OUTAGE_CHUNKS, betweenChunksMs: 100 })
  const calls = await Promise.all(
    [undefined, context.target.siblingUrl].map((baseUrl) => context.stream({}, { baseUrl })),
  )
  for (const call of calls) await expectBegun(call, 2)
  return calls
}

/** A stream that runs on while the books are read: its one hold, and what the backend was sent, are what is told. */
function holding({ model, body, parts, sent = {}, held, shown, ...description }: Holding): Definition {
  const { rules } = description
  return {
    ...description,
    isNaming: shown !== undefined || rules.length === 1,
    needs: ['workspace', 'books', 'backendScript', ...(model ? [`model:${model}` as const] : [])],
    async run(context) {
      await stall(context)
      const prices = await priceOf(context, model)
      const content = [{ type: 'text', text: context.prompt }, ...(parts ?? [])]
      const call = await context.stream({
        model: context.model(model),
        ...body,
        ...(parts && { messages: [{ role: 'user', content }] }),
      })
      const { holds } = await booksWhileRunning(context)
      const received = parsed((await context.received())[0]?.body)
      shows(...(shown?.sent ?? rules))
      for (const [name, value] of Object.entries(sent))
        assert.equal(received[name], value, `${name} as it was sent`)
      const { templateTokens } = context.target.limits
      const prompt = { bodyBytes: call.exchange.sent.body.length, templateTokens }
      shows(...(shown?.held ?? rules))
      assert.equal(holds[0]?.amount_micros, held(prices, prompt))
      call.abort()
    },
  }
}
