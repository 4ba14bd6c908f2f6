import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { expectBundle } from '../../engine/evidence.ts'
import { define } from '../../engine/scenario.ts'

const NO_QUOTE = { status: 'not-implemented' }

export default define({
  id: 'platform/bundle',
  rules: ['BNDL-01', 'BNDL-02', 'VERS-04', 'BNDL-03', 'BNDL-12', 'BNDL-14'],
  title: 'The bundle says its kind, its version as the integer 1 and its hostname; a quote is noticed',
  needs: ['platform'],
  subjects: ['platform'],
  async run(context) {
    const read = expectBundle(await context.request('getPlatformEvidence', { key: null }))
    const { bundle } = read
    assert.equal(bundle.kind, 'DeploymentEvidence')
    assert.equal(bundle.version, 1)
    assert.equal(bundle.hostname, context.target.platform?.hostname)
    // The specification says what it is "currently": a platform that has more to show breaks nothing.
    const { rootCaTeeQuote } = bundle
    if (!isDeepStrictEqual(rootCaTeeQuote, NO_QUOTE)) context.warn(describe(rootCaTeeQuote))
  },
})

function describe(quote: unknown): string {
  const found = quote === undefined ? 'absent' : `${JSON.stringify(quote).slice(0, 80)}`
  return `rootCaTeeQuote is ${found}, not {"status":"not-implemented"}; nobody judges it yet`
}
