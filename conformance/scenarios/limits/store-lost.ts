import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { expectLimited } from '../../engine/limits.ts'
import { expectTold, seriesValue } from '../../engine/operator.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/store-lost',
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
    for (let turn = 0; turn < 2; turn++) expectStatus(await context.chat(), 200)
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
})

const LOST = 'router_limits_shared_lost'

/** How long a router may take to notice (ours). */
const SOON_MS = 5_000
