import { expectStatus } from '../../engine/expect.ts'
import { untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'

/** Both rules say so. */
const PERIOD_MS = 300_000

export default define({
  id: 'proxy/attests-again',
  rules: ['PRXY-03', 'LIM-15'],
  title: 'Once five minutes have passed the proxy has attested again, without being asked for anything',
  needs: ['key', 'proxyControl', 'proxyWire'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    const wire = context.wire('proxyWire')
    expectStatus(await context.request('listModels'), 200)
    const { connections } = await wire.state()
    await context.proxyControl('/advance', { milliseconds: PERIOD_MS })
    await context.eventually(
      'the proxy connects to look at the evidence',
      async () => (await wire.state()).connections > connections,
      5_000,
    )
    await untilServed(context, () => context.request('listModels'))
  },
})
