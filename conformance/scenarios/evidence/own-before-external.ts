import assert from 'node:assert/strict'
import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'
import { withUnreachable } from '../../engine/upstream.ts'

export default define({
  id: 'evidence/own-before-external',
  rules: ['EVID-10'],
  title:
    'An own endpoint’s bundle is relayed under its name even while an upstream is registered under the same',
  needs: ['feature:evidence', 'feature:upstreams', 'endpoint:own', 'registerUpstream', 'setVerdict'],
  run: (context) =>
    withUnreachable(context, context.target.endpoints.own ?? '', async (endpoint) => {
      const read = async (params?: { readonly endpoint: string }) =>
        expectBundle(
          await context.request(params ? 'getEndpointEvidence' : 'getEvidence', {
            key: null,
            ...(params && { params }),
          }),
        )
      const own = await read()
      assert.equal((await read({ endpoint })).bundle.hostname, own.bundle.hostname)
    }),
})
