import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'relay/other-mode',
  rules: ['STRM-18'],
  title: 'A backend that answers in the other mode than asked is no success',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 3, stream: false })
    expectError(await context.chat({ stream: true }), 'backend_error')
    await context.script({ chunks: 3, stream: true })
    expectError(await context.chat({ stream: false }), 'backend_error')
  },
})
