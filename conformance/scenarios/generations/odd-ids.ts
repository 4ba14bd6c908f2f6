import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'generations/odd-ids',
  rules: ['GEN-23'],
  title: 'An id that no generation can have is a 404 not_found like any unknown one, whatever it is made of',
  needs: ['key'],
  async run(context) {
    const ids = [
      'x',
      'gen-',
      'gen-01ARZ3NDEKTSV4RRFFQ69G5FAVX',
      "' or 1=1 --",
      '\u0000',
      'gen-01ARZ3NDEKTSV4RRFFQ69G5FA\u0000',
      'ü'.repeat(500),
    ]
    for (const id of ids) expectError(await context.record(id), 'not_found')
  },
})
