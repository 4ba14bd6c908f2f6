import assert from 'node:assert/strict'
import type { Context } from '../../engine/context.ts'
import { expectError, expectSubset } from '../../engine/expect.ts'
import { type Exchange, objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/leaf-swapped-chosen',
  rules: ['VERD-19', 'CONN-01', 'VRFY-20', 'PRXY-16', 'ERR-41', 'ERR-47'],
  title:
    'A swapped certificate is refused at tls-fingerprint with leaf_mismatch, not to be tried again, until the evidence names it',
  needs: ['generation', 'backendScript', 'platform', 'platformControl'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    await context.script({ chunks: 2 })
    await context.control('/hold')
    await context.control('/rotate/leaf?resign=later')
    try {
      const refused = await refusalOf(context)
      expectError(refused, 'attestation_failed')
      expectSubset(objectOf(refused), { stage: 'tls-fingerprint', reason: 'leaf_mismatch' })
      assert.equal(refused.headers['x-should-retry'], 'false')
      assert.equal(refused.headers['x-proxy-verdict'], undefined)
    } finally {
      await context.control('/resign')
      await context.control('/release')
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
