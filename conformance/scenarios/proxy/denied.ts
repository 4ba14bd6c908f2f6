import assert from 'node:assert/strict'
import { expectError } from '../../engine/expect.ts'
import { untilRefused, untilServed } from '../../engine/refusals.ts'
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
    const ask = () => context.chat()
    await context.script({ chunks: 2 })
    await context.control('/rotate/deployment')
    await context.control('/rotate/leaf')
    try {
      expectError(await untilRefused(context, ask), 'attestation_failed')
      const before = (await context.received()).length
      for (const stream of [false, true]) expectError(await context.chat({ stream }), 'attestation_failed')
      for (const operation of ['listModels', 'createCompletion', 'createEmbedding', 'getEvidence'] as const)
        expectError(await context.request(operation), 'attestation_failed')
      assert.equal((await context.received()).length, before, 'something was sent on')
    } finally {
      await context.control('/rotate/deployment', { restore: true })
    }
    await untilServed(context, ask)
  },
})
