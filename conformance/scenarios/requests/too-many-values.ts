import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

const MOST_VALUES = 1_000_000

export default define({
  id: 'requests/too-many-values',
  rules: ['REQ-52'],
  title: 'A body of more values than memory is for answers 413 request_too_large',
  needs: ['key'],
  async run(context) {
    const empty = Array.from({ length: MOST_VALUES / 2 }, () => ({}))
    expectError(await context.chat({ padding: empty }), 'request_too_large')
  },
})
