import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'evidence/archive-away',
  rules: ['ERR-18'],
  title:
    'Evidence of an external endpoint that cannot be looked for is 500 internal, and relayed again later',
  needs: ['feature:upstreams', 'endpoint:external', 'databaseWire'],
  subjects: ['router'],
  isExclusive: true,
  async run(context) {
    const params = { endpoint: context.target.endpoints.external ?? '' }
    const read = () => context.request('getEndpointEvidence', { key: null, params })
    expectStatus(await read(), 200)
    await context.wire('databaseWire').cut()
    try {
      expectError(await read(), 'internal')
    } finally {
      await context.wire('databaseWire').mend()
    }
    await context.eventually('it is relayed again', async () => (await read()).status === 200, RECOVERY_MS)
  },
})

/** How long a router may take to find its database again (ours). */
const RECOVERY_MS = 20_000
