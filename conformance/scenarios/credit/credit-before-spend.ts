import { expectError } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/credit-before-spend',
  rules: ['REQ-20'],
  title: 'A lack of credit is told before a spend limit',
  needs: ['workspace'],
  async run(context) {
    await context.own({ balanceMicros: 0, spendLimitMicros: 0 })
    expectError(await context.chat(), 'insufficient_credits')
  },
})
