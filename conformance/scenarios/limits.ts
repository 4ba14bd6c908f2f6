import { setTimeout as sleep } from 'node:timers/promises'
import * as assert from '../engine/assert.ts'
import { showing, shows } from '../engine/checks.ts'
import type { Context } from '../engine/context.ts'
import { expectChat, expectError, expectStatus } from '../engine/expect.ts'
import type { Exchange } from '../engine/http/exchange.ts'
import {
  exhaust,
  exhaustionMs,
  expectLimited,
  expectOwn,
  limitHeaders,
  mostIn,
  readBucket,
} from '../engine/limits.ts'
import { askOperator, expectTold, seriesValue } from '../engine/operator.ts'
import { expectStream } from '../engine/stream.ts'
import { NotTestable } from '../engine/thrown.ts'
import type { Topic } from '../engine/topic.ts'

const PER_SECOND = 100
const DEBT_MS = 6_000

/** Requests a minute of a key that says by them that its own limits stand (ours). */
const FEW = 10
const USED = 60 * PER_SECOND + (DEBT_MS / 1_000) * PER_SECOND

const PER_MINUTE = 20
const MS_PER_REQUEST = 60_000 / PER_MINUTE

const SHARED_PER_MINUTE = 6

/** Streams that are under way together. */
const HELD_CHUNKS = 5
const HELD_CHUNK_MS = 2_000

/** Requests that take what comes back to a workspace, before another and after it; turns of which they take all (ours). */
const OTHERS = 10
const TELLING_TURNS = 5

const LOST = 'router_limits_shared_lost'

/** How long a router may take to notice (ours). */
const SOON_MS = 5_000

export default {
  'admitted-and-failed': {
    rules: ['LIM-32'],
    title: 'A request that was admitted and failed at the backend tells of its bucket, too, and counts',
    needs: ['workspace', 'feature:rate-limits', 'backendScript'],
    async run(context) {
      await context.script({ status: 500 })
      await context.own({ requestsPerMinute: 2 })
      for (const remaining of [1, 0]) {
        const exchange = await context.chat()
        expectError(exchange, 'backend_unavailable')
        assert.deepEqual([readBucket(exchange).limit, readBucket(exchange).remaining], [2, remaining])
      }
      expectLimited(await context.chat(), 2)
    },
  },

  changed: {
    rules: ['CRED-20'],
    title: 'Other limits of a key hold within a second, the end of its validity at once',
    needs: ['workspace', 'updateKey', 'feature:rate-limits'],
    // How often it is asked until then is chance.
    isCompared: false,
    async run(context) {
      const { keyId: id = '' } = await context.own({ requestsPerMinute: 1 })
      const first = await context.chat()
      expectStatus(first, 200)
      expectOwn(first, 1)
      expectLimited(await context.chat(), 1)
      await context.hooks('updateKey', { id, requests_per_minute: 100_000 })
      await context.eventually(
        'the new limit holds',
        async () => {
          const exchange = await context.chat()
          if (exchange.status !== 200) expectLimited(exchange)
          return exchange.status === 200
        },
        1_000,
      )
      await context.hooks('updateKey', { id, expires_at: '2020-01-01T00:00:00Z' })
      expectError(await context.chat(), 'api_key_expired')
      await context.hooks('updateKey', { id, expires_at: null })
      expectStatus(await context.chat(), 200)
    },
  },

  'credit-first': {
    rules: ['CRED-19', 'LIM-32'],
    title: 'A refusal for credit goes before one for rate, and takes nothing from the buckets',
    needs: ['workspace', 'setBalance', 'feature:rate-limits', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1 })
      const own = await context.own({ requestsPerMinute: 2, balanceMicros: 0 })
      const setBalance = (balance_micros: number) =>
        context.hooks('setBalance', { workspace_id: own.workspaceId ?? '', balance_micros })
      for (let turn = 0; turn < 5; turn++) {
        const refused = await context.chat()
        shows('CRED-19')
        expectError(refused, 'insufficient_credits')
        shows('LIM-32')
        assert.equal(refused.headers['x-ratelimit-limit'], undefined, 'it tells of a bucket')
      }
      shows('CRED-19')
      await setBalance(5_000_000)
      for (let turn = 0; turn < 2; turn++) expectStatus(await context.chat(), 200)
      shows()
      expectLimited(await context.chat(), 2)
      shows('CRED-19')
      await setBalance(0)
      expectError(await context.chat(), 'insufficient_credits')
      const capped = await context.accounts.addKey(own, { spendLimitMicros: 0, requestsPerMinute: 1 })
      await setBalance(5_000_000)
      const over = await context.chat({}, { account: capped })
      showing([], () => expectError(over, 'key_spend_limit_reached'))
      for (let turn = 0; turn < 2; turn++)
        expectError(await context.chat({}, { account: capped }), 'key_spend_limit_reached')
    },
  },

  debt: {
    rules: ['LIM-23'],
    title: 'What a request overshot is a debt that the refill repays before anything is admitted again',
    needs: ['workspace', 'feature:rate-limits', 'backendScript'],
    isCompared: false,
    waitsMs: () => DEBT_MS,
    async run(context) {
      await context.own({ requestsPerMinute: FEW, tokensPerMinute: 60 * PER_SECOND })
      await context.script({ chunks: 1, promptTokens: 0, completionTokens: USED })
      const since = Date.now()
      const first = await context.chat()
      expectStatus(first, 200)
      expectOwn(first, FEW)
      const { retryAfterMs } = expectLimited(await context.chat(), 60 * PER_SECOND)
      const passedMs = Date.now() - since
      // A bucket that is floored at nothing admits again after a hundredth of a second.
      assert.ok(
        retryAfterMs >= DEBT_MS - passedMs && retryAfterMs <= DEBT_MS + 100,
        `the debt is said to be repaid in ${retryAfterMs} ms`,
      )
      await sleep(retryAfterMs + 10)
      expectStatus(await context.chat(), 200)
    },
  },

  'give-back': {
    rules: ['LIM-24'],
    title: 'A request that the bucket of tokens refuses takes nothing from those of requests',
    needs: ['workspace', 'feature:rate-limits', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1, promptTokens: 500 })
      await context.own({ requestsPerMinute: 3, tokensPerMinute: 5 })
      const first = await context.chat()
      expectStatus(first, 200)
      expectOwn(first, 3)
      // More of them than the key has requests: each is told of the tokens.
      for (let turn = 0; turn < 6; turn++) expectLimited(await context.chat(), 5)
    },
  },

  'key-requests': {
    rules: ['KEY-09', 'LIM-03', 'LIM-10', 'ERR-16', 'ERR-17', 'HDR-06'],
    title:
      'A key with requests per minute of its own is 429 beyond them, with the four headers, and others are not',
    needs: ['workspace', 'feature:rate-limits'],
    async run(context) {
      const own = await context.own({ requestsPerMinute: 2 })
      shows('KEY-09', 'LIM-03')
      for (let turn = 0; turn < 2; turn++) expectStatus(await context.chat(), 200)
      for (const stream of [false, true]) {
        const refused = await context.chat({ stream })
        shows('KEY-09', 'LIM-03', 'LIM-10', 'ERR-16')
        expectError(refused, 'rate_limit_exceeded')
        shows('LIM-10', 'ERR-17', 'HDR-06')
        for (const name of limitHeaders) assert.ok(refused.headers[name], `the 429 has no ${name}`)
        const after = String(refused.headers['retry-after'])
        assert.ok(
          /^\d+$/.test(after) || Date.parse(after) > 0,
          `Retry-After is ${after}, no seconds and no date`,
        )
      }
      const usual = await context.accounts.addKey(own)
      shows('KEY-09', 'LIM-03')
      for (let turn = 0; turn < 3; turn++) expectStatus(await context.chat({}, { account: usual }), 200)
    },
  },

  'key-tokens': {
    rules: ['KEY-10', 'LIM-07', 'LIM-08', 'LIM-09'],
    title:
      'A key with tokens per minute of its own overshoots by one request, is 429 then, and others are not',
    needs: ['workspace', 'feature:rate-limits', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1, completionTokens: 5_000 })
      const own = await context.own({ tokensPerMinute: 1_000 })
      shows('LIM-07', 'LIM-09')
      // At admission the bucket is only asked whether it is empty; what the request uses is known afterwards.
      expectStatus(await context.chat(), 200)
      shows('KEY-10', 'LIM-08', 'LIM-09')
      expectError(await context.chat(), 'rate_limit_exceeded')
      expectError(await context.chat({ stream: true }), 'rate_limit_exceeded')
      const usual = await context.accounts.addKey(own)
      shows('KEY-10')
      for (let turn = 0; turn < 2; turn++) expectStatus(await context.chat({}, { account: usual }), 200)
    },
  },

  'one-each': {
    rules: ['LIM-22', 'LIM-31', 'LIM-32'],
    title:
      'Each admitted request takes one from the request buckets and tells of the tighter; a token lets it pass',
    needs: ['workspace', 'feature:rate-limits', 'backendScript'],
    async run(context) {
      const { requestsPerMinute: usual } = context.target.limits
      await context.script({ chunks: 1, promptTokens: 100 })
      // So slow that none comes back meanwhile.
      const own = await context.own({ requestsPerMinute: 3 })
      for (const remaining of [2, 1, 0]) {
        const askedAtMs = Date.now()
        const exchange = await context.chat({ stream: remaining === 1 })
        shows('LIM-22')
        expectStatus(exchange, 200)
        const { limit, remaining: left, resetAtMs } = readBucket(exchange)
        shows('LIM-32')
        assert.equal(limit, 3)
        shows('LIM-22')
        assert.equal(left, remaining)
        shows('LIM-31')
        assert.ok(Number.isInteger(resetAtMs), 'an admitted request has no X-RateLimit-Reset')
        // With something left the bucket admits at once; the header has whole seconds.
        const isNow = resetAtMs >= askedAtMs - 2_000 && resetAtMs <= Date.now() + 2_000
        assert.ok(remaining === 0 || isNow, `it is said to admit at ${new Date(resetAtMs).toISOString()}`)
      }
      shows('LIM-22')
      expectLimited(await context.chat(), 3)

      const generous = await context.accounts.addKey(own, {
        requestsPerMinute: 10 * usual,
        tokensPerMinute: 1,
      })
      const exchange = await context.chat({}, { account: generous })
      expectStatus(exchange, 200)
      shows('LIM-32')
      assert.equal(readBucket(exchange).limit, usual, 'the workspace’s bucket is the tighter one')
      shows('LIM-22')
      assert.ok(readBucket(exchange).remaining < usual, 'nothing was taken from the workspace')
      expectLimited(await context.chat({}, { account: generous }), 1)
    },
  },

  order: {
    rules: ['LIM-02'],
    title:
      'Over several limits a request is told of the first: key requests, workspace requests, key tokens, workspace tokens',
    needs: ['workspace', 'feature:rate-limits', 'backendScript', 'model:free'],
    // How often has to be asked is chance.
    isCompared: false,
    waitsMs: exhaustionMs,
    async run(context) {
      const { requestsPerMinute, tokensPerMinute } = context.target.limits
      const model = context.model('free')
      const all = 2 * tokensPerMinute
      await context.script({ chunks: 1, beforeHeadersMs: 1_500, completionTokens: all })
      const generous = await context.own({ requestsPerMinute: 10 * requestsPerMinute })
      // Both are admitted before the tokens of either are known, and use up all there is.
      const both = await context.accounts.addKey(generous, { requestsPerMinute: 2, tokensPerMinute: 7 })
      const few = await context.accounts.addKey(generous, { tokensPerMinute: 9 })
      const ask = (account: typeof both) => context.chat({ model, max_tokens: all }, { account })
      const answers = await Promise.all([ask(both), ask(both), ask(few)])
      for (const answer of answers) expectStatus(answer, 200)
      for (const answer of answers.slice(0, 2)) expectOwn(answer, 2)
      const usual = await context.accounts.addKey(generous)
      expectLimited(await ask(usual), tokensPerMinute)
      expectLimited(await ask(few), 9)
      expectLimited(await ask(both), 2)

      // Another workspace, for its requests are to be used up while its tokens are not.
      await context.script({ chunks: 1 })
      const second = await context.accounts.open({ requestsPerMinute: 10 * requestsPerMinute })
      const one = await context.accounts.addKey(second, { requestsPerMinute: 1 })
      const dry = await context.accounts.addKey(second, { tokensPerMinute: 1 })
      for (const answer of await Promise.all([ask(one), ask(dry)])) expectStatus(answer, 200)
      let isShown = false
      let tellingTurns = 0
      for (let turn = 0; turn < 20 && !isShown; turn++) {
        await exhaust(context, requestsPerMinute, () => ({ account: second }))
        // Requests come back to the workspace all the time; others around them take those.
        const others = () =>
          Array.from({ length: OTHERS }, () => context.chat({ max_tokens: 1 }, { account: second }))
        const since = Date.now()
        const [, ofDry, ofOne] = await Promise.all([Promise.all(others()), ask(dry), ask(one), ...others()])
        isShown = expectLimited(ofDry).limit === requestsPerMinute
        expectLimited(ofOne, 1)
        if (mostIn(Date.now() - since, requestsPerMinute) - requestsPerMinute <= OTHERS) tellingTurns++
      }
      if (!isShown && tellingTurns < TELLING_TURNS)
        throw new NotTestable('requests come back to a workspace faster than they are answered here')
      assert.ok(isShown, 'a key without tokens was never told of the requests of its workspace')
    },
  },

  refill: {
    rules: ['LIM-21'],
    title:
      'A bucket holds what a minute allows and refills continuously, one by one and not all at a boundary',
    needs: ['workspace', 'feature:rate-limits', 'backendScript'],
    isCompared: false,
    waitsMs: () => 2 * MS_PER_REQUEST,
    async run(context) {
      await context.script({ chunks: 1 })
      await context.own({ requestsPerMinute: PER_MINUTE })
      const another = await context.accounts.open({ requestsPerMinute: PER_MINUTE })
      expectOwn(await context.chat({}, { account: another }), PER_MINUTE)
      const { admitted, elapsedMs, refused } = await exhaust(context, PER_MINUTE)
      assert.ok(admitted >= PER_MINUTE, `a full bucket admitted ${admitted} of ${PER_MINUTE}`)
      assert.ok(admitted <= mostIn(elapsedMs, PER_MINUTE), `${admitted} were admitted in ${elapsedMs} ms`)
      expectLimited(refused, PER_MINUTE)
      const { retryAfterMs } = expectLimited(await refusedAlone(context), PER_MINUTE)
      assert.ok(retryAfterMs <= MS_PER_REQUEST, `the next one is said to be ${retryAfterMs} ms away`)
      const waitedSince = Date.now()
      await sleep(retryAfterMs)
      const admittedAfter: number[] = []
      for (let turn = 0; turn < PER_MINUTE; turn++) {
        const exchange = await context.chat()
        if (exchange.status !== 200) break
        admittedAfter.push(Date.now() - waitedSince)
      }
      assert.ok(admittedAfter.length > 0, 'after the time that was told nothing was admitted')
      const most = Math.ceil((Date.now() - waitedSince) / MS_PER_REQUEST) + 1
      assert.ok(
        admittedAfter.length <= most,
        `${admittedAfter.length} came back at once, not ${most} at most`,
      )
      expectStatus(await context.request('listModels'), 200)
    },
  },

  'refused-gives-back': {
    rules: ['CRED-19'],
    title:
      'What a request takes from the buckets of a key in use is given back when it is refused for credit',
    needs: ['workspace', 'setBalance', 'feature:rate-limits', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 1 })
      const own = await context.own({ requestsPerMinute: 2 })
      const setBalance = (balance_micros: number) =>
        context.hooks('setBalance', { workspace_id: own.workspaceId ?? '', balance_micros })
      // Its buckets are known from here on, and are asked before its credit is.
      const first = await context.chat()
      expectStatus(first, 200)
      expectOwn(first, 2)
      await setBalance(0)
      for (let turn = 0; turn < 4; turn++) expectError(await context.chat(), 'insufficient_credits')
      await setBalance(5_000_000)
      expectStatus(await context.chat(), 200)
      expectLimited(await context.chat(), 2)
    },
  },

  shared: {
    rules: ['LIM-40'],
    title:
      'Routers that share a store admit no more together than one alone, however many requests come at once',
    needs: ['workspace', 'feature:rate-limits', 'backendScript', 'sibling', 'storeWire'],
    subjects: ['router'],
    waitsMs: exhaustionMs,
    async run(context) {
      await context.script({ chunks: 1 })
      const own = await context.own({ requestsPerMinute: SHARED_PER_MINUTE })
      const { siblingUrl = '', siblingAdminUrl } = context.target
      const since = Date.now()
      const answers = await Promise.all(
        Array.from({ length: 4 * SHARED_PER_MINUTE }, (_, turn) =>
          context.chat({}, { account: own, ...(turn % 2 === 0 && { baseUrl: siblingUrl }) }),
        ),
      )
      const told = siblingAdminUrl === undefined ? undefined : await askOperator(context, '/metrics')
      if (told !== undefined && seriesValue(told.text, LOST) === 1)
        throw new NotTestable('the sibling says that it lost the store in which the buckets are shared')
      for (const answer of answers) expectOwn(answer, SHARED_PER_MINUTE)
      const refused = answers.filter(({ status }) => status !== 200)
      for (const refusal of refused) expectLimited(refusal, SHARED_PER_MINUTE)
      const admitted = answers.length - refused.length
      const most = mostIn(Date.now() - since, SHARED_PER_MINUTE)
      assert.ok(
        admitted >= SHARED_PER_MINUTE && admitted <= most,
        `${admitted} were admitted, not ${SHARED_PER_MINUTE}`,
      )
    },
  },

  'store-lost': {
    rules: ['LIM-41'],
    title:
      'A router that loses the shared store goes on with buckets of its own, says so in a metric, and comes back',
    needs: ['workspace', 'feature:rate-limits', 'backendScript', 'sibling', 'siblingAdmin', 'storeWire'],
    subjects: ['router'],
    isExclusive: true,
    async run(context) {
      const { siblingUrl: baseUrl = '' } = context.target
      const isLost = async () => seriesValue(await expectTold(context, '/metrics', 200), LOST) === 1
      const ask = () => context.chat({}, { baseUrl })
      await context.script({ chunks: 1 })
      await context.own({ requestsPerMinute: 2 })
      for (let turn = 0; turn < 2; turn++) {
        const exchange = await context.chat()
        expectStatus(exchange, 200)
        expectOwn(exchange, 2)
      }
      expectLimited(await ask(), 2)
      assert.ok(!(await isLost()), 'the store is said to be lost already')
      await context.wire('storeWire').cut()
      try {
        await context.eventually('its own buckets admit', async () => (await ask()).status === 200, SOON_MS)
        expectStatus(await ask(), 200)
        expectLimited(await ask(), 2)
        assert.ok(await isLost(), 'the metric does not say that the store is lost')
      } finally {
        await context.wire('storeWire').mend()
      }
      await context.eventually(
        'the store is found again',
        async () => {
          expectLimited(await ask(), 2)
          return !(await isLost())
        },
        SOON_MS,
      )
    },
  },

  'three-posts': {
    rules: ['LIM-20'],
    title: 'The three inference POSTs share the buckets, and no other request takes from them or is refused',
    needs: [
      'workspace',
      'feature:rate-limits',
      'model:completions',
      'feature:embeddings',
      'model:embeddings',
    ],
    async run(context) {
      const posts = ['createChatCompletion', 'createCompletion', 'createEmbedding'] as const
      await context.own({ requestsPerMinute: posts.length })
      const ids: string[] = []
      for (const operation of posts) {
        expectStatus(await context.request('listModels'), 200)
        expectStatus(await context.request('getModel', { params: { id: context.model() } }), 200)
        const exchange = await context.request(operation)
        expectStatus(exchange, 200)
        expectOwn(exchange, posts.length)
        ids.push(exchange.headers['x-router-generation-id'] ?? '')
      }
      for (const operation of posts) expectLimited(await context.request(operation), posts.length)
      expectStatus(await context.request('listModels'), 200)
      for (const id of ids) assert.notEqual((await context.record(id)).status, 429, 'a look-up is limited')
      const looked = await context.request('listModels')
      assert.equal(looked.headers['x-ratelimit-limit'], undefined, 'a look-up tells of a bucket')
    },
  },

  told: {
    rules: ['LIM-28', 'LIM-29', 'LIM-31', 'HDR-10', 'CRED-04'],
    title:
      'A 429 tells limit and rest of the bucket that refused, when it admits, and to wait a minute at the most',
    needs: ['workspace', 'books', 'feature:rate-limits', 'backendScript'],
    // What remains of a minute is chance.
    isCompared: false,
    async run(context) {
      await context.script({ chunks: 1, promptTokens: 659 })
      const own = await context.own({ requestsPerMinute: 2 })
      for (let turn = 0; turn < 2; turn++) {
        const exchange = await context.chat()
        expectStatus(exchange, 200)
        expectOwn(exchange, 2)
      }
      const refused = await context.chat()
      shows('LIM-29')
      const requests = expectLimited(refused, 2)
      assert.equal(requests.remaining, 0)
      shows('HDR-10')
      assert.equal(refused.headers['x-router-generation-id'], undefined, 'a refusal names a generation')
      shows('CRED-04')
      assert.equal((await context.received()).length, 2, 'what was refused was sent')
      const { generations, holds } = await context.books()
      assert.deepEqual([generations.length, holds], [2, []])
      shows('LIM-28')
      const { retryAfterSeconds: seconds, retryAfterMs: milliseconds } = requests
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 30, `Retry-After is ${seconds}`)
      assert.equal(Math.ceil(milliseconds / 1_000), seconds, `retry-after-ms is ${milliseconds}`)
      shows('LIM-31')
      isAbout(requests.resetAtMs - Date.now(), milliseconds)

      // Eleven minutes' worth at once, of which the bucket held one.
      const slow = await context.accounts.addKey(own, { tokensPerMinute: 60 })
      shows()
      expectStatus(await context.chat({}, { account: slow }), 200)
      shows('LIM-29')
      const tokens = expectLimited(await context.chat({}, { account: slow }), 60)
      assert.equal(tokens.remaining, 0)
      shows('LIM-28')
      assert.deepEqual([tokens.retryAfterSeconds, tokens.retryAfterMs], [60, 60_000])
      shows('LIM-31')
      isAbout(tokens.resetAtMs - Date.now(), 600_000)

      function isAbout(actualMs: number, wantedMs: number): void {
        const far = Math.abs(actualMs - wantedMs)
        assert.ok(far <= context.patience(5_000), `X-RateLimit-Reset is ${actualMs} ms away, not ${wantedMs}`)
      }
    },
  },

  'workspace-own': {
    rules: ['LIM-42', 'LIM-28', 'LIM-29'],
    title: 'A workspace with limits of its own is refused by them, with a key’s wider ones and with none',
    needs: ['workspace', 'feature:rate-limits', 'backendScript'],
    // What remains of a minute is chance.
    isCompared: false,
    async run(context) {
      await context.script({ chunks: 1, promptTokens: 100 })
      const usual = await context.own({ workspaceLimits: { requestsPerMinute: 2 } })
      const wide = await context.accounts.addKey(usual, { requestsPerMinute: 1_000 })
      shows('LIM-42')
      const first = await context.chat()
      expectStatus(first, 200)
      assert.deepEqual([readBucket(first).limit, readBucket(first).remaining], [2, 1])
      expectStatus(await context.chat({}, { account: wide }), 200)
      for (const account of [usual, wide]) {
        shows('LIM-42')
        const refused = expectLimited(await context.chat({}, { account }), 2)
        shows('LIM-29')
        assert.equal(refused.remaining, 0)
        shows('LIM-28')
        assert.ok(refused.retryAfterSeconds >= 1 && refused.retryAfterSeconds <= 30, 'Retry-After')
      }

      shows('LIM-42')
      const frugal = await context.accounts.open({ workspaceLimits: { tokensPerMinute: 60 } })
      expectStatus(await context.chat({}, { account: frugal }), 200)
      expectLimited(await context.chat({}, { account: frugal }), 60)
      expectStatus(await context.chat({}, { account: await context.accounts.open() }), 200)
    },
  },

  'workspace-requests': {
    rules: ['LIM-01', 'LIM-04', 'LIM-05'],
    title:
      'All keys of a workspace together make no more requests than the default, whatever their own values',
    needs: ['workspace', 'feature:rate-limits', 'backendScript'],
    // How many are admitted meanwhile is chance.
    isCompared: false,
    waitsMs: exhaustionMs,
    async run(context) {
      const { requestsPerMinute: limit } = context.target.limits
      await context.script({ chunks: 1 })
      const generous = await context.own({ requestsPerMinute: 10 * limit })
      const usual = await context.accounts.addKey(generous)
      shows('LIM-01', 'LIM-04', 'LIM-05')
      const { admitted, elapsedMs } = await exhaust(context, limit, (turn) => ({
        account: turn % 3 === 0 ? usual : generous,
      }))
      const most = mostIn(elapsedMs, limit)
      assert.ok(
        admitted <= most,
        `${admitted} requests were admitted in ${elapsedMs} ms, not ${most} at most`,
      )
      shows('LIM-04')
      assert.ok(admitted >= limit, `only ${admitted} of ${limit} requests were admitted`)
      // A key that is new has all of its own budget, and of the workspace's what flows in meanwhile.
      const fresh = await context.accounts.addKey(generous, { requestsPerMinute: 10 * limit })
      const burst = Math.ceil(limit / 3)
      const since = Date.now()
      const answers = await Promise.all(
        Array.from({ length: burst }, () => context.chat({ max_tokens: 1 }, { account: fresh })),
      )
      const refused = answers.filter(({ status }) => status !== 200)
      const regained = mostIn(Date.now() - since, limit) - limit
      shows('LIM-05')
      if (refused.length === 0 && regained >= burst)
        throw new NotTestable(`${burst} requests took so long that the workspace had regained ${regained}`)
      assert.ok(refused.length > 0, `a new key brought the workspace ${burst} requests more`)
      for (const refusal of refused) expectError(refusal, 'rate_limit_exceeded')
      shows('LIM-04')
      expectStatus(await context.chat({}, { account: await context.accounts.open() }), 200)
    },
  },

  'workspace-tokens': {
    rules: ['LIM-01', 'LIM-04', 'LIM-05', 'LIM-08'],
    title: 'All keys of a workspace together use no more tokens than the default, whatever their own values',
    needs: ['workspace', 'feature:rate-limits', 'backendScript', 'model:free'],
    async run(context) {
      const { tokensPerMinute: limit } = context.target.limits
      const model = context.model('free')
      const body = { model, max_tokens: 2 * limit }
      await context.script({ chunks: 1, completionTokens: 2 * limit })
      const generous = await context.own({ tokensPerMinute: 100 * limit })
      shows('LIM-08')
      expectStatus(await context.chat(body), 200)
      shows('LIM-01', 'LIM-04', 'LIM-08')
      expectError(await context.chat(body), 'rate_limit_exceeded')
      const usual = await context.accounts.addKey(generous)
      shows('LIM-05')
      expectError(await context.chat(body, { account: usual }), 'rate_limit_exceeded')
      shows('LIM-04')
      expectStatus(await context.chat(body, { account: await context.accounts.open() }), 200)
    },
  },

  overload: {
    rules: ['LIM-44', 'LIM-45', 'LIM-46', 'LIM-48'],
    title:
      'A workspace that has too many requests in hand is told to come back, what it has is finished, and another one is served',
    needs: ['workspace', 'backendScript', 'spare', 'spareWire', 'maxRequests'],
    subjects: ['router'],
    isExclusive: true,
    waitsMs: () => HELD_CHUNKS * HELD_CHUNK_MS,
    async run(context) {
      const { spareUrl: baseUrl, limits } = context.target
      const another = await context.accounts.open()
      // From then on it is known whose their keys are.
      expectChat(await context.chat({}, { baseUrl }))
      expectChat(await context.chat({}, { baseUrl, account: another }))
      await context.script({ chunks: HELD_CHUNKS, betweenChunksMs: HELD_CHUNK_MS })
      const calls = await Promise.all(
        Array.from({ length: limits.maxRequests! }, () => context.stream({}, { baseUrl })),
      )
      await context.eventually('all have begun, or were refused', async () =>
        calls.every(({ exchange }) => exchange.status !== 0) ? true : undefined,
      )
      shows('LIM-46')
      expectStatus(await context.chat({ max_tokens: 1, stream: false }, { baseUrl, account: another }), 200)
      const exchanges = await Promise.all(calls.map(({ done }) => done))
      const refused = exchanges.filter(({ status }) => status !== 200)
      shows('LIM-44')
      assert.ok(refused.length > 0, 'one workspace had as many requests in hand as all may have together')
      assert.ok(refused.length < exchanges.length, 'none of its requests was taken')
      shows('LIM-45')
      for (const refusal of refused) {
        expectError(refusal, 'overloaded')
        assert.equal(refusal.headers['retry-after'], '1')
        assert.equal(refusal.headers['x-should-retry'], 'true')
        assert.equal(refusal.headers['x-router-generation-id'], undefined)
      }
      shows('LIM-48')
      for (const exchange of exchanges) if (exchange.status === 200) expectStream(exchange)
    },
  },
} satisfies Topic

/** Asks one by one until a refusal: of requests side by side another may have had what the first refusal spoke of. */
async function refusedAlone(context: Context): Promise<Exchange> {
  for (let turn = 0; turn < PER_MINUTE; turn++) {
    const exchange = await context.chat()
    if (exchange.status !== 200) return exchange
  }
  return assert.fail(`${PER_MINUTE} more were admitted, one after the other`)
}
