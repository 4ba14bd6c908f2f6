import assert from 'node:assert/strict'
import type { Context } from '../../engine/context.ts'
import { expectError, expectSubset } from '../../engine/expect.ts'
import { type Exchange, objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/deployment-changed',
  rules: ['VERD-20', 'VERD-16', 'VRFY-22'],
  title:
    'A deployment that is not pinned is denied at policy with digest_not_pinned, until the pinned one is back',
  needs: ['generation', 'backendScript', 'platform', 'platformControl'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    await context.script({ chunks: 2 })
    await context.control('/rotate/deployment')
    // A new certificate makes the proxy look at once.
    await context.control('/rotate/leaf')
    try {
      const refused = await refusalOf(context)
      expectError(refused, 'attestation_failed')
      expectSubset(objectOf(refused), { stage: 'policy', reason: 'digest_not_pinned' })
      assert.equal(refused.headers['x-should-retry'], 'false')
    } finally {
      await context.control('/rotate/deployment', { restore: true })
    }
    await healed(context)
  },
})

/** Connections from before live on until their next answer; then the proxy meets the new certificate. */
async function refusalOf(context: Context): Promise<Exchange> {
  return context.eventually('a request is refused', async () => {
    const exchange = await context.chat()
    return exchange.status !== 200 && exchange
  })
}

async function healed(context: Context): Promise<void> {
  await context.eventually(
    'requests are served again',
    async () => (await context.chat()).status === 200,
    40_000,
  )
}
