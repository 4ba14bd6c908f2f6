import { expectError, expectStatus, expectSubset } from '../../engine/expect.ts'
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
    { status: 200, body: '<html></html>' },
    { stage: 'fetch', reason: 'not_json' },
  ],
] as const

export default define({
  id: 'proxy/foreign-evidence',
  rules: ['VERD-13', 'VERD-16', 'VERD-15', 'VERD-20'],
  title:
    'Evidence of a foreign authority, a redirect and what is no JSON deny the endpoint, until a check passes again',
  needs: ['key', 'proxyWire', 'platform'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    const ask = () => context.request('listModels')
    expectStatus(await ask(), 200)
    await interposed(context, async (hostile) => {
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
    })
    await untilServed(context, ask)
  },
})
