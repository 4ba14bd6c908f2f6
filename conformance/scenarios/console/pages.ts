import * as assert from '../../engine/assert.ts'
import { Browser } from '../../engine/browser.ts'
import { makeKey, newAddress, signInNeeds, signUp } from '../../engine/console.ts'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { get } from '../../engine/http/get.ts'
import type { Topic } from '../../engine/topic.ts'

/** What may run or load nothing but what the console's own host serves. */
const STRICT = ["'self'", "'none'"]

/** How long the page may take (ours). */
const TIMEOUT_MS = 5_000

export default {
  codes: {
    rules: ['ERR-43'],
    title: 'What the console alone refuses has the shape of every error, and a code of its own',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const person = await signUp(context)
      const { browser } = person
      const stranger = new Browser(context, 'a stranger')
      const { id } = await makeKey(person)
      const params = { id }
      expectStatus(await browser.ask('revokeKey', { params }), 200)
      const wrong = { email: newAddress(), code: '123456' }
      for (const [status, code, exchange] of [
        [401, 'session_required', await stranger.ask('getMe')],
        [400, 'invalid_code', await stranger.ask('signIn', { body: wrong })],
        [403, 'forbidden_origin', await browser.ask('deleteSession', { origin: 'https://evil.example' })],
        [403, 'not_administrator', await browser.ask('listWorkspaces')],
        [409, 'conflict', await browser.ask('updateKey', { params, body: { name: 'back' } })],
      ] as const) {
        expectError(exchange, code)
        assert.equal(exchange.status, status)
      }
    },
  },

  'foreign-pages': {
    rules: ['CONS-63'],
    title: 'Calls that the browser says come from another origin are refused, of the same site too',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const { browser } = await signUp(context)
      for (const site of ['same-site', 'cross-site']) {
        const headers = { 'sec-fetch-site': site }
        for (const operation of ['getMe', 'listKeys', 'saveRequests', 'followRequests'] as const)
          expectError(await browser.ask(operation, { headers }), 'forbidden_origin')
      }
      for (const site of ['same-origin', 'none'])
        expectStatus(await browser.ask('getMe', { headers: { 'sec-fetch-site': site } }), 200)
    },
  },

  policy: {
    rules: ['CONS-55'],
    title: 'The page lets nothing inline and nothing of another host run or load, and stands in no frame',
    needs: ['console'],
    subjects: ['console'],
    async run(context) {
      const { origin } = new URL(context.target.consoleUrl!)
      const answer = await get(`${origin}/console/`, context.patience(TIMEOUT_MS))
      assert.equal(answer.status, 200, 'the page is not served')
      const policy = answer.headers['content-security-policy'] ?? ''
      const directives = new Map(
        policy.split(';').map((text) => {
          const [name = '', ...sources] = text.trim().split(/\s+/)
          return [name.toLowerCase(), sources] as const
        }),
      )
      assert.deepEqual(directives.get('frame-ancestors'), ["'none'"])
      for (const sources of [directives.get('default-src'), directives.get('script-src')]) {
        for (const source of sources ?? []) assert.ok(STRICT.includes(source), `${source} is let in`)
      }
      assert.ok(directives.has('default-src'), 'what is not named may come from anywhere')
      assert.ok(!/'unsafe-(inline|eval|hashes)'|\*|https?:/.test(policy), policy)
    },
  },
} satisfies Topic
