import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

const MOST_MEMBERS = 512

export default define({
  id: 'requests/too-many-members',
  rules: ['REQ-58'],
  title: 'A body with more members at its top than anybody means answers 413 request_too_large',
  needs: ['key'],
  async run(context) {
    const names = Array.from({ length: MOST_MEMBERS }, (_, index) => [`field_${index}`, 0])
    expectError(await context.chat(Object.fromEntries(names)), 'request_too_large')
  },
})
