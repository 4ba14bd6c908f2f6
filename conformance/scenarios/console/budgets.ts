import { limits } from '#contract/limits'
import * as assert from '../../engine/assert.ts'
import { Browser } from '../../engine/browser.ts'
import { showing, shows } from '../../engine/checks.ts'
import { newAddress, rowsOf, signInNeeds, signUp } from '../../engine/console.ts'
import { expectError, expectStatus } from '../../engine/expect.ts'
import type { Exchange } from '../../engine/http/exchange.ts'
import { askUntilRefused, expectLimited } from '../../engine/limits.ts'
import type { Topic } from '../../engine/topic.ts'

/** More than any budget is believed to be (ours). */
const MOST = 300

const EVENT = { name: 'page_opened', page: 'overview' } as const

/** Asks until it is a 429, which has to come. */
async function useUp(ask: () => Promise<Exchange>): Promise<void> {
  for (let turn = 0; turn < MOST; turn++) {
    const exchange = await ask()
    // None at all has status 0.
    if (exchange.status >= 200 && exchange.status < 300) continue
    expectError(exchange, 'rate_limit_exceeded')
    return
  }
  assert.fail(`nothing was refused in ${MOST} calls`)
}

const askFor = (browser: Browser) => browser.ask('askSignInCode', { body: { email: newAddress() } })
const tellOf = (browser: Browser) => browser.ask('sendEvents', { body: { events: [EVENT] } })

export default {
  'analytics-form': {
    rules: ['CONS-32', 'CONS-58'],
    title: 'A page event is a name and a page out of lists, and whatever holds anything else is refused',
    needs: ['console', 'forwarded'],
    subjects: ['console'],
    async run(context) {
      const browser = new Browser(context)
      shows('CONS-32')
      expectStatus(await tellOf(browser), 202)
      shows('CONS-58')
      for (const event of [
        { ...EVENT, name: 'prompt_typed' },
        { ...EVENT, page: '/keys?name=secret' },
        { ...EVENT, text: 'what somebody typed' },
        { ...EVENT, email: newAddress() },
      ]) {
        const exchange = await browser.ask('sendEvents', { body: { events: [event] } })
        expectError(exchange, 'unsupported_parameter')
        assert.ok(!exchange.body.includes('secret'), 'the refusal repeats what was sent')
      }
      shows()
      const many = Array.from({ length: 21 }, () => EVENT)
      expectError(await browser.ask('sendEvents', { body: { events: many } }), 'unsupported_parameter')
    },
  },

  budgets: {
    rules: ['LIM-11'],
    title:
      'Who has used up the requests for codes, or the page events, is refused those alone, and nobody else is',
    needs: [...signInNeeds, 'generation', 'feature:invitations', 'issueInvitation'],
    subjects: ['console'],
    async run(context) {
      const { code } = await context.hooks('issueInvitation', { grant_micros: 1 })
      const { baseUrl } = context.target
      const [browser, events] = [new Browser(context), new Browser(context, 'another one')]
      const headersOf = ({ source }: Browser) => ({ 'x-forwarded-for': source })
      await useUp(() => askFor(browser))
      await useUp(() => tellOf(events))
      expectStatus(await tellOf(browser), 202)
      expectStatus(await askFor(events), 202)
      for (const one of [browser, events]) {
        const headers = headersOf(one)
        expectStatus(
          await context.request('getInvitation', { baseUrl, key: null, params: { code }, headers }),
          200,
        )
        expectStatus(await context.chat({}, { baseUrl, headers }), 200)
      }
      const other = new Browser(context, 'somebody else')
      expectStatus(await askFor(other), 202)
      expectStatus(await tellOf(other), 202)
    },
  },

  'budget-sizes': {
    rules: ['LIM-35'],
    title: 'An address may ask for 10 codes and try 10 sign-ins a minute',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const browser = new Browser(context)
      const sign = () => browser.ask('signIn', { body: { email: newAddress(), code: '123456' } })
      for (const [perMinute, ask, status] of [
        [limits.signInCodesPerMinute, () => askFor(browser), 202],
        [limits.signInsPerMinute, sign, 400],
      ] as const) {
        const since = Date.now()
        for (let turn = 0; turn < perMinute; turn++) {
          const answer = await ask()
          // Whether a code is taken for a right one has rules of its own.
          showing(answer.status === 200 ? [] : ['LIM-35'], () => expectStatus(answer, status))
        }
        const refused = await askUntilRefused(context, ask, perMinute, since)
        expectLimited(refused, perMinute)
      }
    },
  },

  'not-stored': {
    rules: ['CONS-20', 'CONS-54'],
    title:
      'The API is under /console/api, and none of its answers may be stored, a refusal and a missing path neither',
    needs: signInNeeds,
    subjects: ['console'],
    async run(context) {
      const { browser } = await signUp(context)
      shows('CONS-20')
      assert.deepEqual(rowsOf(await browser.ask('listKeys')), [])
      const stranger = new Browser(context, 'a stranger')
      const { client, target } = context
      const answers = [
        await browser.ask('getMe'),
        await browser.ask('getRequest', { params: { id: 'nothing' } }),
        await stranger.ask('getMe'),
        await stranger.ask('signIn', { body: { email: newAddress(), code: '123456' }, origin: null }),
        await client.send({ baseUrl: target.consoleUrl, path: '/nothing' }),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 404, 401, 403, 404],
      )
      shows('CONS-54')
      for (const { headers } of answers) assert.equal(headers['cache-control'], 'no-store')
    },
  },
} satisfies Topic
