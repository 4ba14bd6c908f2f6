import { limits } from '#contract/limits'
import * as assert from '../engine/assert.ts'
import { showing, shows } from '../engine/checks.ts'
import { expectChat, expectError, expectStatus, expectSubset } from '../engine/expect.ts'
import { type Exchange, objectOf, textOf } from '../engine/http/exchange.ts'
import { addressFor, anyGrant, invitationNeeds, lookUp } from '../engine/invitations.ts'
import { askUntilRefused, expectLimited } from '../engine/limits.ts'
import type { Topic } from '../engine/topic.ts'

/** More than any budget is believed to be (ours). */
const MOST = 300

const FORM = /^[23456789ABCDEFGHJKMNPQRSTVWXYZ]{4}(-[23456789ABCDEFGHJKMNPQRSTVWXYZ]{4}){2}$/

/** What an operator knows of an invitation. */
const OF_THE_OPERATOR = ['note', 'max_redemptions', 'redemptions', 'created_at', 'withdrawn_at']

export default {
  budget: {
    // The other budgets that LIM-11 names are the console's.
    rules: ['EP-20', 'LIM-11'],
    title:
      'An address that looks too many invitations up is 429, and nobody else is, nor its own requests to models',
    needs: [...invitationNeeds, 'forwarded', 'generation'],
    // Through the proxy the platform says who asks.
    subjects: ['router'],
    async run(context) {
      const { code } = await context.hooks('issueInvitation', { grant_micros: anyGrant(context) })
      const ask = (from: string) =>
        context.request('getInvitation', {
          key: null,
          params: { code },
          headers: { 'x-forwarded-for': from },
        })
      const address = addressFor(`${context.nonce} asks too often`)
      let refused: Exchange | undefined
      for (let turn = 0; turn < MOST && refused === undefined; turn++) {
        const exchange = await ask(address)
        if (exchange.status !== 200) refused = exchange
      }
      shows('EP-20')
      assert.ok(refused, `the address was never refused in ${MOST} look-ups`)
      shows('EP-20', 'LIM-11')
      expectError(refused, 'rate_limit_exceeded')
      shows('EP-20')
      expectStatus(await ask(addressFor(`${context.nonce} is somebody else`)), 200)
      shows('LIM-11')
      expectStatus(await context.chat({}, { headers: { 'x-forwarded-for': address } }), 200)
    },
  },

  'budget-size': {
    rules: ['LIM-34'],
    title: 'An address may look up 30 invitations a minute, good codes and bad ones alike',
    needs: [...invitationNeeds, 'forwarded'],
    // Through the proxy the platform says who asks.
    subjects: ['router'],
    async run(context) {
      const { code } = await context.hooks('issueInvitation', { grant_micros: anyGrant(context) })
      const headers = { 'x-forwarded-for': addressFor(`${context.nonce} counts`) }
      const ask = (typed: string) =>
        context.request('getInvitation', { key: null, params: { code: typed }, headers })
      const since = Date.now()
      for (let turn = 0; turn < limits.invitationLookupsPerMinute; turn++)
        expectStatus(await ask(turn % 2 === 0 ? code : 'nonsense'), turn % 2 === 0 ? 200 : 404)
      const exchange = await askUntilRefused(
        context,
        () => ask(code),
        limits.invitationLookupsPerMinute,
        since,
      )
      const { remaining, retryAfterMs, retryAfterSeconds, resetAtMs } = expectLimited(
        exchange,
        limits.invitationLookupsPerMinute,
      )
      // What such headers say is shown elsewhere.
      shows()
      assert.equal(remaining, 0)
      assert.ok(retryAfterMs > 0 && retryAfterMs <= 2_000, `retry-after-ms is ${retryAfterMs}`)
      assert.equal(retryAfterSeconds, Math.ceil(retryAfterMs / 1_000))
      const resetInMs = resetAtMs - Date.now()
      assert.ok(Math.abs(resetInMs) <= context.patience(5_000), `X-RateLimit-Reset is ${resetInMs} ms away`)
    },
  },

  'code-form': {
    rules: ['INV-06'],
    title: 'A code has 12 characters in three groups, none of which is easily taken for another',
    needs: invitationNeeds,
    subjects: ['router'],
    async run(context) {
      const grant_micros = anyGrant(context)
      const issued = await Promise.all(
        Array.from({ length: 20 }, () => context.hooks('issueInvitation', { grant_micros })),
      )
      const codes = issued.map(({ code }) => code)
      for (const code of codes) assert.match(code, FORM)
      assert.equal(new Set(codes).size, codes.length, 'a code was given out twice')
      expectStatus(await lookUp(context, codes[0] ?? ''), 200)
    },
  },

  cors: {
    rules: ['HDR-13'],
    title: 'A page of an allowed origin may read the answer to a look-up, a refusal too',
    needs: [...invitationNeeds, 'cors'],
    async run(context) {
      const { code } = await context.hooks('issueInvitation', { grant_micros: anyGrant(context) })
      const { corsOrigin: origin = '' } = context.target
      for (const [typed, status] of [
        [code, 200],
        ['2222-2222-2222', 404],
      ] as const) {
        const exchange = await lookUp(context, typed, { headers: { origin } })
        expectStatus(exchange, status)
        assert.equal(exchange.headers['access-control-allow-origin'], origin)
      }
    },
  },

  form: {
    rules: ['INV-04'],
    title:
      'A look-up answers object, code, grant_micros, description and expires_at, and nothing of the operator',
    needs: invitationNeeds,
    async run(context) {
      const grant = anyGrant(context)
      const expires = '2099-12-31T23:59:59.000Z'
      const [plain, dated] = [
        await context.hooks('issueInvitation', { grant_micros: grant, note: context.nonce }),
        await context.hooks('issueInvitation', {
          grant_micros: grant + 1,
          description: 'For the visitors of a fair',
          expires_at: expires,
        }),
      ]
      const told = await lookUp(context, plain.code)
      expectStatus(told, 200)
      const { description, ...rest } = objectOf(told)
      expectSubset(rest, { object: 'invitation', code: plain.code, grant_micros: grant, expires_at: null })
      for (const name of OF_THE_OPERATOR) assert.ok(!(name in rest), `${name} is the operator's`)
      assert.ok(typeof description === 'string' && description !== '', 'there is no description')
      const { expires_at: until, ...others } = objectOf(await lookUp(context, dated.code))
      assert.equal(Date.parse(String(until)), Date.parse(expires))
      expectSubset(others, {
        object: 'invitation',
        code: dated.code,
        grant_micros: grant + 1,
        description: 'For the visitors of a fair',
      })
    },
  },

  granted: {
    rules: ['INV-01', 'INV-03', 'WSP-06'],
    title:
      'What a code grants goes to a new account, as a credit row called "Invitation credit", and can be spent',
    needs: [...invitationNeeds, 'redeemInvitation', 'workspace', 'debits', 'generation'],
    async run(context) {
      const grant = anyGrant(context)
      const { code } = await context.hooks('issueInvitation', { grant_micros: grant })
      const { workspaceId: workspace_id = '' } = await context.own({ balanceMicros: 0 })
      expectError(await context.chat(), 'insufficient_credits')
      const account = `${context.subject}-${context.nonce}-${workspace_id}`
      const { granted_micros } = await context.hooks('redeemInvitation', { code, account, workspace_id })
      shows('INV-01')
      assert.equal(granted_micros, grant)
      const { balance_micros: balance, rows } = await context.debits()
      shows('INV-01', 'INV-03')
      assert.equal(balance, grant)
      const credits = rows.filter(({ amount_micros }) => amount_micros > 0)
      shows('WSP-06')
      assert.deepEqual(
        credits.map(({ amount_micros, name }) => [amount_micros, name]),
        [[grant, 'Invitation credit']],
      )
      shows('INV-01')
      const { usage } = expectChat(await context.chat())
      assert.equal((await context.debits()).balance_micros, grant - usage.cost_micros)
    },
  },

  'ledger-row': {
    rules: ['WSP-18'],
    title:
      'The row of a grant is of the kind invitation, is called "Invitation credit", and names the account once',
    needs: [...invitationNeeds, 'redeemInvitation', 'workspace', 'books'],
    subjects: ['router'],
    async run(context) {
      const grant = anyGrant(context)
      const { code } = await context.hooks('issueInvitation', { grant_micros: grant, max_redemptions: 2 })
      const { workspaceId: workspace_id = '' } = await context.own({ balanceMicros: 0 })
      const account = `${context.nonce}-${workspace_id}`
      await context.hooks('redeemInvitation', { code, account, workspace_id })
      await context.hooks('redeemInvitation', { code, account, workspace_id })
      expectStatus(await lookUp(context, code), 200)
      const { entries } = await context.books()
      assert.equal(entries.length, 1, 'the grant was written more than once')
      const [row] = entries
      assert.deepEqual(
        [row?.kind, row?.description, row?.amount_micros],
        ['invitation', 'Invitation credit', grant],
      )
      assert.match(row?.idempotency_key ?? '', new RegExp(`^invitation:.+:${account}$`))
    },
  },

  'look-up': {
    rules: ['INV-02', 'EP-19', 'AUTH-04'],
    title: 'Anybody can look an invitation up, and is told what it grants',
    needs: invitationNeeds,
    async run(context) {
      const { code } = await context.hooks('issueInvitation', { grant_micros: anyGrant(context) })
      const found = await lookUp(context, code)
      shows('INV-02', 'EP-19', 'AUTH-04')
      expectStatus(found, 200)
      // A key does not matter, not even one of nobody.
      const withKey = await lookUp(context, code, { key: 'sk-tee-v1-nonsense' })
      shows('AUTH-04')
      expectStatus(withKey, 200)
      assert.equal(textOf(withKey), textOf(found))
      shows('EP-19')
      // How it is told, the given specification leaves open.
      assert.ok(Object.keys(objectOf(found)).length > 0, 'nothing is told')
    },
  },

  'no-good-alike': {
    rules: ['INV-05'],
    title: 'A code that is unknown, expired, exhausted, withdrawn or none at all is the same 404 not_found',
    needs: [...invitationNeeds, 'withdrawInvitation', 'redeemInvitation', 'workspace'],
    // Through the proxy all share the budget of one address.
    subjects: ['router'],
    async run(context) {
      const grant_micros = anyGrant(context)
      const issue = (settings: object = {}) =>
        context.hooks('issueInvitation', { grant_micros, ...settings }).then(({ code }) => code)
      const expired = await issue({ expires_at: '2020-01-01T00:00:00Z' })
      const withdrawn = await issue()
      await context.hooks('withdrawInvitation', { code: withdrawn })
      const exhausted = await issue()
      const { workspaceId: workspace_id = '' } = await context.own()
      const account = `${context.nonce}-${workspace_id}`
      await context.hooks('redeemInvitation', { code: exhausted, account, workspace_id })
      const answers: (readonly [string, object])[] = []
      for (const code of [
        '2222-2222-2222',
        expired,
        withdrawn,
        exhausted,
        'none',
        'O',
        '%20',
        '%E0%A4%A',
        'a/b',
        'a'.repeat(2_000),
        '%00',
        '..',
      ]) {
        const exchange = await lookUp(context, code)
        expectError(exchange, 'not_found')
        const { date: _, 'x-request-id': __, ...headers } = exchange.headers
        answers.push([textOf(exchange), headers])
      }
      // The last two are no codes but paths to some.
      const codes = answers.slice(0, -2)
      assert.deepEqual(
        codes,
        codes.map(() => answers[0]),
      )
      expectError(await lookUp(context, 'none'), 'not_found', { param: 'code' })
    },
  },

  'no-good-no-harm': {
    rules: ['INV-10'],
    title: 'A code that is no good grants nothing, stands in nobody’s way, and spoils no later grant',
    needs: [...invitationNeeds, 'withdrawInvitation', 'redeemInvitation', 'workspace', 'books'],
    subjects: ['router'],
    async run(context) {
      const grant_micros = anyGrant(context)
      const { code: withdrawn } = await context.hooks('issueInvitation', { grant_micros })
      await context.hooks('withdrawInvitation', { code: withdrawn })
      const { code } = await context.hooks('issueInvitation', { grant_micros })
      const { workspaceId: workspace_id = '' } = await context.own({ balanceMicros: 0 })
      const account = `${context.nonce}-${workspace_id}`
      const redeem = (typed: string) =>
        context.hooks('redeemInvitation', { code: typed, account, workspace_id })
      for (const typed of ['', 'nonsense', '2222-2222-2222', withdrawn])
        assert.equal((await redeem(typed)).granted_micros, null, `"${typed}" was granted something`)
      assert.equal((await context.books()).balance_micros, 0)
      expectStatus(await context.request('listModels'), 200)
      expectStatus(await lookUp(context, code), 200)
      assert.equal((await redeem(code)).granted_micros, grant_micros)
      expectError(await lookUp(context, code), 'not_found')
    },
  },

  once: {
    rules: ['INV-09'],
    title: 'An account is granted one invitation ever, however many codes it brings and however fast',
    needs: [...invitationNeeds, 'redeemInvitation', 'workspace', 'books'],
    subjects: ['router'],
    async run(context) {
      const grant_micros = anyGrant(context)
      const issued = await Promise.all(
        Array.from({ length: 6 }, () => context.hooks('issueInvitation', { grant_micros })),
      )
      const { workspaceId: workspace_id = '' } = await context.own({ balanceMicros: 0 })
      const account = `${context.nonce}-${workspace_id}`
      const grants = await Promise.all(
        issued.map(({ code }) => context.hooks('redeemInvitation', { code, account, workspace_id })),
      )
      const granted = grants.filter(({ granted_micros }) => granted_micros !== null)
      assert.deepEqual(
        granted.map(({ granted_micros }) => granted_micros),
        [grant_micros],
      )
      assert.equal((await context.books()).balance_micros, grant_micros)
      // The codes that brought nothing are still good for others.
      const open = await Promise.all(issued.map(({ code }) => lookUp(context, code)))
      const there = open.filter(({ status }) => status === 200)
      showing([], () => assert.ok(there.length > 0, 'no code can be looked up'))
      assert.equal(there.length, 5)
      expectStatus(open.find(({ status }) => status !== 200)!, 404)
    },
  },

  record: {
    rules: ['INV-07'],
    title: 'The record of an invitation tells grant, description, redemptions, note and its times',
    needs: [...invitationNeeds, 'withdrawInvitation', 'redeemInvitation', 'workspace'],
    subjects: ['router'],
    async run(context) {
      const grant = anyGrant(context)
      const usual = await context.hooks('issueInvitation', { grant_micros: grant })
      const { created_at: created, ...rest } = usual
      assert.equal(usual.max_redemptions, 1, 'an invitation is redeemed once unless said otherwise')
      assert.deepEqual(
        [rest.grant_micros, rest.redemptions, rest.note, rest.expires_at, rest.withdrawn_at],
        [grant, 0, null, null, null],
      )
      assert.ok(
        Math.abs(Date.parse(created) - Date.now()) < context.patience(60_000),
        `created at ${created}`,
      )
      const settings = { description: 'A fair', max_redemptions: 3, note: context.nonce }
      const issued = await context.hooks('issueInvitation', {
        grant_micros: grant,
        expires_at: '2099-01-01T00:00:00.000Z',
        ...settings,
      })
      const { workspaceId: workspace_id = '' } = await context.own()
      const account = `${context.nonce}-${workspace_id}`
      await context.hooks('redeemInvitation', { code: issued.code, account, workspace_id })
      expectStatus(await lookUp(context, issued.code), 200)
      const withdrawn = await context.hooks('withdrawInvitation', { code: issued.code })
      assert.deepEqual(
        { ...withdrawn, withdrawn_at: null },
        { ...issued, ...settings, redemptions: 1 },
        'the record of a withdrawn invitation',
      )
      assert.ok(withdrawn.withdrawn_at !== null, 'the record does not tell when it was withdrawn')
      const again = await context.hooks('withdrawInvitation', { code: issued.code })
      assert.equal(again.withdrawn_at, withdrawn.withdrawn_at)
    },
  },

  spelling: {
    rules: ['INV-08'],
    title: 'Case and separators of a code make no difference',
    needs: invitationNeeds,
    // Through the proxy all share the budget of one address.
    subjects: ['router'],
    async run(context) {
      const { code } = await context.hooks('issueInvitation', { grant_micros: anyGrant(context) })
      const bare = code.replace(/[^0-9A-Za-z]/g, '')
      const spellings = [
        code,
        bare,
        code.toLowerCase(),
        bare.replace(/(..)/g, '$1-'),
        bare.replace(/(...)/g, '$1.'),
      ]
      for (const spelling of [...spellings, encodeURIComponent(bare.replace(/(....)(?=.)/g, '$1 '))]) {
        const found = await lookUp(context, spelling)
        expectStatus(found, 200)
        assert.equal(objectOf(found).code, code, `"${spelling}" is told as another code`)
      }
    },
  },
} satisfies Topic
