import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { expectTold } from '../../engine/operator.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'operations/watched',
  rules: ['OPS-01'],
  title:
    'Health, readiness and metrics have a listener of their own, with names of OpenTelemetry and no content',
  needs: ['workspace', 'backendScript', 'sibling', 'siblingAdmin'],
  subjects: ['router'],
  async run(context) {
    const { siblingUrl: baseUrl = '' } = context.target
    const { key } = await context.own()
    await context.script({ chunks: 2 })
    for (const stream of [false, true]) expectStatus(await context.chat({ stream }, { baseUrl }), 200)
    assert.match(await expectTold(context, '/healthz', 200), /ok/)
    assert.match(await expectTold(context, '/readyz', 200), /ready/)
    const metrics = await expectTold(context, '/metrics', 200)
    assert.match(metrics, /^# TYPE gen_ai_server_request_duration/m, 'the conventions’ names are not used')
    assert.match(metrics, new RegExp(`gen_ai_request_model="${context.model()}"`))
    for (const secret of [context.nonce, key, key.slice(0, 20)])
      assert.ok(!metrics.includes(secret), 'the metrics hold what was said, or a key')
    for (const path of ['//metrics', '//healthz', '//readyz'])
      expectError(await context.client.send({ path, key: undefined }), 'not_found')
  },
})
