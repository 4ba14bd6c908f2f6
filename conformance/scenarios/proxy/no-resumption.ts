import assert from 'node:assert/strict'
import { offersSession } from '../../engine/client-hello.ts'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/no-resumption',
  rules: ['CONN-03'],
  title: 'No new connection offers a session to resume, so that each shows its certificate anew',
  needs: ['key', 'proxyWire'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    const wire = context.wire('proxyWire')
    for (let turn = 0; turn < 3; turn++) {
      expectStatus(await context.request('listModels'), 200)
      const { connections } = await wire.state()
      await wire.drop()
      expectStatus(await context.request('listModels'), 200)
      const made = (await wire.state()).connections - connections
      assert.ok(made > 0, 'no new connection was made')
      for (const hello of (await wire.beginnings()).slice(-made))
        assert.ok(!offersSession(hello), 'a new connection offers a session of an earlier one')
    }
  },
})
