import { expectStatus } from '../../engine/expect.ts'
import { untilServed } from '../../engine/refusals.ts'
import { define } from '../../engine/scenario.ts'

const MINUTE_MS = 60_000

export default define({
  id: 'proxy/clock-set-back',
  rules: ['VERD-10'],
  title: 'A wall clock that is set back makes the proxy look at the evidence anew',
  needs: ['key', 'proxyControl', 'proxyWire'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    const ask = () => context.request('listModels')
    const wire = context.wire('proxyWire')
    await context.proxyControl('/restart')
    await context.proxyControl('/advance', { milliseconds: MINUTE_MS, clock: 'wall' })
    expectStatus(await ask(), 200)
    const { connections } = await wire.state()
    await context.proxyControl('/advance', { milliseconds: -MINUTE_MS, clock: 'wall' })
    await context.eventually(
      'the evidence is looked at',
      async () => (await wire.state()).connections > connections,
      5_000,
    )
    await untilServed(context, ask)
  },
})
