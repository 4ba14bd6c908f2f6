import * as assert from '../../engine/assert.ts'
import { showing, shows } from '../../engine/checks.ts'
import {
  chatWith,
  creditNeeds,
  makeKey,
  rowsOf,
  signInNeeds,
  signUp,
  signUpWithCredit,
  textIn,
  told,
} from '../../engine/console.ts'
import { expectChat, expectError, expectStatus, generationIdOf, recordIn } from '../../engine/expect.ts'
import { textOf } from '../../engine/http/exchange.ts'
import type { Topic } from '../../engine/topic.ts'

/** How soon a request's row is as it stays (ours). */
const SETTLED_MS = 10_000

export default {
  credits: {
    rules: ['CONS-05'],
    title: 'The console shows the balance, and what has moved it',
    needs: creditNeeds,
    subjects: ['console'],
    async run(context) {
      const person = await signUpWithCredit(context)
      const granted = Number(person.grantedMicros)
      assert.equal(told(await person.browser.ask('getCredits')).balance_micros, granted)
      const { usage } = expectChat(await chatWith(person.browser, await makeKey(person)))
      const credits = told(await person.browser.ask('getCredits'))
      assert.equal(credits.balance_micros, granted - usage.cost_micros)
      const amounts = rowsOf(await person.browser.ask('getCredits')).map((row) => row.amount_micros)
      assert.deepEqual(amounts, [0 - usage.cost_micros, granted])
    },
  },

  'credit-pages': {
    rules: ['CONS-29'],
    title:
      'The ledger is paged through row by row, the newest first, and rows that come meanwhile shift nothing',
    needs: creditNeeds,
    subjects: ['console'],
    async run(context) {
      const person = await signUpWithCredit(context)
      const key = await makeKey(person)
      const ids: string[] = []
      for (let turn = 0; turn < 3; turn++) {
        const answer = await chatWith(person.browser, key)
        showing([], () => expectStatus(answer, 200))
        ids.push(generationIdOf(answer))
      }
      const seen: unknown[] = []
      let after: string | null = null
      do {
        const page = await person.browser.ask('getCredits', {
          query: { limit: '1', ...(after && { after }) },
        })
        seen.push(...rowsOf(page).map(({ reference }) => reference))
        const { next } = told(page)
        assert.ok(next === null || typeof next === 'string', 'next is not told')
        after = next
        if (seen.length === 1) expectStatus(await chatWith(person.browser, key), 200)
      } while (after !== null && seen.length < 9)
      assert.deepEqual(seen.slice(0, 3), ids.reverse())
      assert.equal(seen.length, 4)
      expectError(
        await person.browser.ask('getCredits', { query: { limit: '201' } }),
        'unsupported_parameter',
      )
    },
  },

  keys: {
    rules: ['CONS-04', 'KEY-13'],
    title: 'A key that is made in the console works at the router until it is revoked there',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const person = await signUp(context)
      shows('CONS-04')
      const { id, apiKey } = await makeKey(person)
      const { baseUrl } = context.target
      const use = () => context.request('listModels', { baseUrl, key: apiKey })
      expectStatus(await use(), 200)
      expectStatus(await person.browser.ask('revokeKey', { params: { id } }), 200)
      shows('CONS-04', 'KEY-13')
      expectError(await use(), 'api_key_revoked')
    },
  },

  'keys-changed': {
    rules: ['CONS-28'],
    title: 'Keys are made with scope and limits, listed without their text, changed, and revoked for good',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const person = await signUp(context)
      const { browser } = person
      const settings = { model_scope: [context.model()], requests_per_minute: 7, spend_limit_micros: 1_000 }
      const { id, apiKey } = await makeKey(person, settings)
      const listed = await browser.ask('listKeys')
      assert.ok(!textOf(listed).includes(apiKey), 'the list shows the text of a key')
      const [row = {}] = rowsOf(listed)
      const known = { id, name: 'laptop', state: 'active', spent_micros: 0, ...settings }
      for (const [name, value] of Object.entries(known)) assert.deepEqual(row[name], value, name)
      const change = { name: '=1+1', requests_per_minute: null }
      const changed = told(await browser.ask('updateKey', { params: { id }, body: change }))
      assert.deepEqual([changed.name, changed.requests_per_minute], ['=1+1', null])
      assert.deepEqual(changed.model_scope, settings.model_scope)
      for (const attempt of ['the first', 'the second']) {
        const { state } = told(await browser.ask('revokeKey', { params: { id } }))
        assert.equal(state, 'revoked', attempt)
      }
      expectError(await browser.ask('updateKey', { params: { id }, body: { name: 'back' } }), 'conflict')
      expectError(await browser.ask('createKey', { body: { name: '' } }), 'unsupported_parameter')
      expectError(await browser.ask('createKey', { body: {} }), 'missing_field')
    },
  },

  log: {
    rules: ['CONS-06', 'CONS-07'],
    title: 'Each request has a row in the log, whose nine values are those of its record',
    needs: creditNeeds,
    subjects: ['console'],
    async run(context) {
      const person = await signUpWithCredit(context)
      const key = await makeKey(person, { name: 'the key of the log' })
      const ids: string[] = []
      for (const stream of [false, true]) {
        const exchange = await chatWith(person.browser, key, { stream })
        expectStatus(exchange, 200)
        ids.push(generationIdOf(exchange))
      }
      shows('CONS-06')
      const rows = await context.eventually(
        'two rows that have ended',
        async () => {
          const found = rowsOf(await person.browser.ask('listRequests'))
          return found.length === ids.length && found.every(hasEnded) && found
        },
        SETTLED_MS,
      )
      assert.deepEqual(
        rows.map((row) => textIn(row, 'id')),
        ids.reverse(),
      )
      shows('CONS-07')
      for (const row of rows) {
        const { baseUrl } = context.target
        const query = { id: textIn(row, 'id') }
        const record = recordIn(await context.request('getGeneration', { baseUrl, key: key.apiKey, query }))
        const of = (...names: readonly string[]) => names.map((name) => record[name])
        assert.deepEqual(
          [row.model, row.input_tokens, row.output_tokens, row.cost_micros, row.status],
          of('model', 'prompt_tokens', 'completion_tokens', 'cost_micros', 'status'),
        )
        assert.deepEqual(
          [row.tokens_per_second, row.time_to_first_token_ms],
          of('tokens_per_second', 'time_to_first_token_ms'),
        )
        assert.equal(Date.parse(textIn(row, 'created_at')), Date.parse(textIn(record, 'created_at')))
        assert.deepEqual(row.key, { id: key.id, name: 'the key of the log' })
      }
    },
  },

  strangers: {
    rules: ['CONS-50'],
    title: 'What belongs to another workspace is the same 404 as what never was',
    needs: creditNeeds,
    subjects: ['console'],
    async run(context) {
      const owner = await signUpWithCredit(context)
      const key = await makeKey(owner)
      const generation = generationIdOf(await chatWith(owner.browser, key))
      const [session = {}] = rowsOf(await owner.browser.ask('listSessions'))
      const { browser } = await signUp(context, 'a stranger')
      const none = (id: string) => `${id.slice(0, -26)}01ARZ3NDEKTSV4RRFFQ69G5FAV`
      const body = { name: 'mine' }
      for (const [operation, own, options] of [
        ['updateKey', key.id, { body }],
        ['revokeKey', key.id, {}],
        ['getRequest', generation, {}],
        ['endSession', textIn(session, 'id'), {}],
      ] as const) {
        const [theirs, nobodys] = [
          await browser.ask(operation, { ...options, params: { id: own } }),
          await browser.ask(operation, { ...options, params: { id: none(own) } }),
        ]
        expectError(theirs, 'not_found')
        assert.equal(textOf(theirs), textOf(nobodys), `${operation} tells what there is`)
      }
      assert.deepEqual(rowsOf(await browser.ask('listKeys')), [])
      assert.deepEqual(rowsOf(await browser.ask('listRequests')), [])
      assert.deepEqual(rowsOf(await browser.ask('listRequests', { query: { key: key.id } })), [])
      const [kept = {}] = rowsOf(await owner.browser.ask('listKeys'))
      assert.deepEqual([kept.state, kept.name], ['active', 'laptop'])
      expectStatus(await owner.browser.ask('getMe'), 200)
    },
  },
} satisfies Topic

/** Whether a row of the log is as it stays; what became of its request is its record's matter. */
function hasEnded({ status }: Readonly<Record<string, unknown>>): boolean {
  return status === 'ok' || status === 'aborted'
}
