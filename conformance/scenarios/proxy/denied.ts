import assert from 'node:assert/strict'
import type { Context } from '../../engine/context.ts'
import { expectError } from '../../engine/expect.ts'
import type { Exchange } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/denied',
  rules: ['VERD-04', 'VERD-05', 'PRXY-04'],
  title:
    'While the endpoint is denied a request is refused with attestation_failed, and nothing of it is sent on',
  needs: ['generation', 'backendScript', 'platform', 'platformControl'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    await context.script({ chunks: 2 })
    await context.control('/rotate/deployment')
    await context.control('/rotate/leaf')
    try {
      expectError(await refusalOf(context), 'attestation_failed')
      const before = (await context.received()).length
      for (const stream of [false, true]) expectError(await context.chat({ stream }), 'attestation_failed')
      expectError(await context.request('listModels'), 'attestation_failed')
      assert.equal((await context.received()).length, before, 'something was sent on')
    } finally {
      await context.control('/rotate/deployment', { restore: true })
    }
    await healed(context)
  },
})

/** Connections from before live on until their next answer; then the proxy looks again. */
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
