import assert from 'node:assert/strict'
import { expectError, expectSubset } from '../../engine/expect.ts'
import { interposed } from '../../engine/hostile.ts'
import { objectOf } from '../../engine/http/exchange.ts'
import { untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'

/** What the bundle of an authority that nobody trusts is refused for, and what is no bundle. */
const answers = [
  [undefined, { stage: 'untrusted-root', reason: 'root_not_trusted' }],
  [
    { status: 302, headers: { location: '/elsewhere' } },
    { stage: 'fetch', reason: 'redirected' },
  ],
  [
    { status: 101, headers: { connection: 'upgrade', upgrade: 'x' } },
    { stage: 'fetch', reason: 'http_status' },
  ],
  [
    { status: 200, body: '<html></html>' },
    { stage: 'fetch', reason: 'not_json' },
  ],
] as const

export default define({
  id: 'proxy/foreign-evidence',
  rules: ['VERD-13', 'VERD-16', 'VERD-15', 'VERD-30'],
  title:
    'Evidence of a foreign authority, a redirect, another protocol and what is no JSON admit nobody, until a check passes',
  needs: ['key', 'proxyWire', 'proxyControl', 'platform'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    const ask = () => context.request('listModels')
    await interposed(context, async (hostile) => {
      // So that there is no verdict: one that lives is not moved by anything of this.
      await context.proxyControl('/restart')
      for (const [answer, ground] of answers) {
        hostile.answer(answer)
        await context.eventually('the refusal names what is wrong', async () => {
          const refused = await ask()
          expectError(refused, 'attestation_failed')
          const { stage, reason } = objectOf(refused)
          return stage === ground.stage && reason === ground.reason
        })
        expectSubset(objectOf(await ask()), ground)
      }
      assert.deepEqual(hostile.sent, [], 'something was sent on')
    })
    await untilServed(context, ask)
  },
})
