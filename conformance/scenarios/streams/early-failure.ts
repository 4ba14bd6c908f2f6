import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'streams/early-failure',
  rules: ['STRM-11'],
  title: 'A backend that fails before the first ping is due leaves the answer its own status',
  needs: ['generation', 'backendScript'],
  // Others that keep the machine busy could make a ping due.
  isExclusive: true,
  async run(context) {
    const { pingMs } = context.target.limits
    await context.script({ status: 503, beforeHeadersMs: pingMs * 0.1 })
    expectError(await context.chat({ stream: true }), 'backend_unavailable')
    await context.script({
      status: 400,
      error: { error: { message: 'No.', code: null } },
      beforeHeadersMs: pingMs * 0.1,
    })
    expectError(await context.chat({ stream: true }), 'unsupported_parameter')
  },
})
