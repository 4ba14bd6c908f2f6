import * as assert from '../../engine/assert.ts'
import { showing, shows } from '../../engine/checks.ts'
import {
  chatWith,
  creditNeeds,
  makeKey,
  type Person,
  rowsOf,
  signUpWithCredit,
  textIn,
  told,
} from '../../engine/console.ts'
import type { Context } from '../../engine/context.ts'
import { expectBundle } from '../../engine/evidence.ts'
import { expectError, expectStatus, generationIdOf } from '../../engine/expect.ts'
import { eventsOf } from '../../engine/http/events.ts'
import { type Exchange, textOf } from '../../engine/http/exchange.ts'
import { parsed } from '../../engine/http/json.ts'
import type { Topic } from '../../engine/topic.ts'

/** How soon what has happened shows everywhere (ours). */
const SEEN_MS = 10_000

/** Somebody with two keys and four requests, three of them with the first key; the ids are the oldest first. */
async function withRequests(context: Context) {
  const person = await signUpWithCredit(context)
  const keys = [await makeKey(person, { name: '=1+1' }), await makeKey(person, { name: 'other' })] as const
  const ids: string[] = []
  for (const turn of [0, 1, 2, 3]) {
    const body = { max_tokens: 3 + turn, stream: turn % 2 === 0 }
    const answer = await chatWith(person.browser, keys[turn === 3 ? 1 : 0], body)
    showing([], () => expectStatus(answer, 200))
    ids.push(generationIdOf(answer))
  }
  // That the log lists them is shown by itself.
  await showing([], () =>
    context.eventually(
      'four rows that have ended',
      async () => {
        const rows = rowsOf(await person.browser.ask('listRequests', { query: { status: 'ok' } }))
        return rows.length === ids.length
      },
      SEEN_MS,
    ),
  )
  return { person, keys, ids }
}

async function idsOf(
  { browser }: Person,
  query: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  return rowsOf(await browser.ask('listRequests', { query })).map((row) => textIn(row, 'id'))
}

/** The digest of the snapshot that a bundle says it is of. */
function wireDigestOf(bundle: Exchange): string {
  expectStatus(bundle, 200)
  return expectBundle(bundle).payload.evidenceDigest
}

export default {
  csv: {
    rules: ['CONS-45', 'CONS-46'],
    title: 'The log comes as a CSV file of every row that has ended, in which no name is a formula',
    needs: creditNeeds,
    subjects: ['console'],
    async run(context) {
      const { person, ids } = await withRequests(context)
      shows('CONS-45')
      const file = await person.browser.ask('saveRequests')
      expectStatus(file, 200)
      assert.match(file.headers['content-type'] ?? '', /^text\/csv\b/)
      assert.match(file.headers['content-disposition'] ?? '', /^attachment\b/)
      const [head = '', ...lines] = textOf(file).trimEnd().split('\r\n')
      assert.match(head, /cost_micros/)
      assert.equal(lines.length, ids.length)
      for (const id of ids)
        assert.ok(
          lines.some((line) => line.includes(id)),
          `${id} is not in the file`,
        )
      shows('CONS-46')
      assert.equal(lines.filter((line) => line.includes(",'=1+1,")).length, 3, 'a formula is not defused')
    },
  },

  details: {
    rules: ['CONS-47'],
    title: 'A request is told with timings, tokens, the cost worked out, and the evidence digest',
    needs: creditNeeds,
    subjects: ['console'],
    async run(context) {
      const { person, ids } = await withRequests(context)
      const [id = ''] = ids
      const found = told(await person.browser.ask('getRequest', { params: { id } }))
      const price = found.price as Readonly<Record<string, unknown>> | undefined
      const [input, output] = [
        BigInt(textIn(price ?? {}, 'input_product')),
        BigInt(textIn(price ?? {}, 'output_product')),
      ]
      const number = (value: unknown) => BigInt(Number(value))
      assert.equal(input, number(found.input_tokens) * number(price?.input_per_1m_micros))
      assert.equal(output, number(found.output_tokens) * number(price?.output_per_1m_micros))
      const roundedUp = (input + output + 999_999n) / 1_000_000n
      assert.deepEqual([number(found.cost_micros), number(price?.cost_micros)], [roundedUp, roundedUp])
      const timings = found.timings as Readonly<Record<string, unknown>> | undefined
      assert.equal(timings?.first_token_ms, found.time_to_first_token_ms)
      assert.ok(Number(timings?.end_ms) >= Number(timings?.first_token_ms), 'it ended before its first token')
      const { baseUrl } = context.target
      const record = await context.request('getGeneration', { baseUrl, key: null, query: { id } })
      assert.ok(record.status >= 400, 'whoever has no key reads the record')
      // How that is refused has rules of its own.
      showing([], () => expectStatus(record, 401))
      assert.match(textIn(found, 'evidence_digest'), /^sha256\/[\w-]{43}$/)
    },
  },

  live: {
    rules: ['CONS-44', 'CONS-49'],
    title:
      'A request shows as running while it is answered, live, and with its end and the balance afterwards',
    needs: [...creditNeeds, 'backendScript'],
    subjects: ['console'],
    async run(context) {
      await context.script({ chunks: 30, betweenChunksMs: 100 })
      const person = await signUpWithCredit(context)
      const key = await makeKey(person)
      const live = person.browser.open('followRequests')
      const events = () =>
        eventsOf(live.exchange).events.map(({ raw, data = '' }) => ({
          name: /^event: *(\w+)/m.exec(raw)?.[1],
          data,
        }))
      const rows = () =>
        events()
          .filter(({ name }) => name === 'request')
          .map(({ data }) => parsed(data) as Readonly<Record<string, unknown>>)
      shows('CONS-49')
      await context.eventually('the balance', async () => events().some(({ name }) => name === 'balance'))
      const { baseUrl } = context.target
      const stream = await context.stream({}, { baseUrl, key: key.apiKey })
      await context.eventually(
        'the row of a request that runs',
        async () => rows().some(({ status }) => status === 'running'),
        SEEN_MS,
      )
      shows('CONS-44')
      const running = rowsOf(await person.browser.ask('listRequests', { query: { status: 'running' } }))
      assert.deepEqual(
        running.map(({ status, cost_micros }) => [status, cost_micros]),
        [['running', null]],
      )
      shows('CONS-49')
      const id = generationIdOf(await stream.done)
      await context.eventually(
        'the row of its end',
        async () => rows().some((row) => row.id === id && row.status === 'ok'),
        SEEN_MS,
      )
      const { balance_micros: balance } = told(await person.browser.ask('getCredits'))
      await context.eventually(
        'the balance of its end',
        async () =>
          events().some(({ name, data }) => name === 'balance' && parsed(data).balance_micros === balance),
        SEEN_MS,
      )
      // Until the session ends.
      expectStatus(await person.browser.ask('deleteSession'), 204)
      await context.eventually('the end of the events', async () => live.isOver, SEEN_MS)
      assert.equal(events().at(-1)?.data, 'session_required')
    },
  },

  narrowed: {
    rules: ['CONS-30', 'CONS-43'],
    title: 'The log is narrowed, sorted both ways and paged through without losing a row',
    needs: creditNeeds,
    subjects: ['console'],
    async run(context) {
      const { person, keys, ids } = await withRequests(context)
      const newest = ids.toReversed()
      shows('CONS-30')
      assert.deepEqual(await idsOf(person, {}), newest)
      shows('CONS-43')
      assert.deepEqual(await idsOf(person, { order: 'asc' }), ids)
      assert.deepEqual(await idsOf(person, { key: keys[1].id }), [ids[3]])
      assert.deepEqual(await idsOf(person, { model: context.model() }), newest)
      assert.deepEqual(await idsOf(person, { model: 'nobody/serves-this' }), [])
      assert.deepEqual(await idsOf(person, { status: 'aborted' }), [])
      assert.deepEqual(await idsOf(person, { min_cost_micros: '1000000' }), [])
      assert.deepEqual(await idsOf(person, { from: '2100-01-01T00:00:00Z' }), [])
      for (const [sort, member] of [
        ['cost', 'cost_micros'],
        ['output_tokens', 'output_tokens'],
        ['speed', 'tokens_per_second'],
        ['time_to_first_token', 'time_to_first_token_ms'],
      ] as const) {
        const rows = rowsOf(await person.browser.ask('listRequests', { query: { sort } }))
        const values = rows.map((row) => row[member]).filter((value) => value !== null) as number[]
        assert.equal(rows.length, ids.length)
        assert.deepEqual(
          values,
          values.toSorted((one, other) => other - one),
          `by ${sort}`,
        )
      }
      shows('CONS-30')
      const first = await person.browser.ask('listRequests', { query: { limit: '3' } })
      const after = textIn(told(first), 'next')
      const second = await person.browser.ask('listRequests', { query: { limit: '3', after } })
      const paged = [...rowsOf(first), ...rowsOf(second)].map((row) => textIn(row, 'id'))
      assert.deepEqual(paged, newest)
      assert.equal(told(second).next, null)
      for (const [rule, query] of [
        ['CONS-43', { sort: 'nonsense' }],
        ['CONS-43', { status: 'nonsense' }],
        ['CONS-30', { after: 'nonsense' }],
        ['CONS-30', { limit: '0' }],
      ] as const) {
        shows(rule)
        expectError(await person.browser.ask('listRequests', { query }), 'unsupported_parameter')
      }
    },
  },

  usage: {
    rules: ['CONS-31'],
    title: 'Usage over time adds up to the log, and models and endpoints are told with what was published',
    needs: creditNeeds,
    subjects: ['console'],
    async run(context) {
      const { person, keys } = await withRequests(context)
      const { browser } = person
      const rows = rowsOf(await browser.ask('listRequests'))
      const sum = (name: string) => rows.reduce((total, row) => total + Number(row[name]), 0)
      const wanted = {
        requests: rows.length,
        input_tokens: sum('input_tokens'),
        output_tokens: sum('output_tokens'),
        cost_micros: sum('cost_micros'),
      }
      await context.eventually(
        'the sums of four requests',
        async () => JSON.stringify(told(await browser.ask('getUsage')).total) === JSON.stringify(wanted),
        SEEN_MS,
      )
      const { points } = told(await browser.ask('getUsage', { query: { bucket: 'hour', group_by: 'key' } }))
      assert.ok(Array.isArray(points), 'there are no points')
      const of = (id: string) =>
        points.filter(({ group }) => group === id).reduce((total, { requests }) => total + requests, 0)
      assert.deepEqual([of(keys[0].id), of(keys[1].id)], [3, 1])
      const models = rowsOf(await browser.ask('listConsoleModels'))
      assert.ok(
        models.some(({ id }) => id === context.model()),
        'the model is not told',
      )
      const endpoints = rowsOf(await browser.ask('listEndpoints'))
      const deployments = endpoints.flatMap(({ name, history }) => {
        assert.ok(Array.isArray(history), 'no history is told')
        return history.map((deployment) => ({ name: String(name), ...deployment }))
      })
      const { name, evidence_digest: digest } = deployments.find((one) => one.has_bundle) ?? {}
      const params = { name, digest: String(digest).replace('sha256/', '') }
      assert.equal(wireDigestOf(await browser.ask('getBundle', { params })), digest)
    },
  },
} satisfies Topic
