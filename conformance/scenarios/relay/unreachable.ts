import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'relay/unreachable',
  rules: ['RLAY-05', 'ERR-19'],
  title: 'A backend that nobody listens for answers 502 backend_unavailable',
  needs: ['generation', 'model:unreachable'],
  async run(context) {
    const model = context.model('unreachable')
    for (const stream of [false, true])
      expectError(await context.chat({ model, stream }), 'backend_unavailable')
  },
})
