import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'credit/no-false-refusal',
  rules: ['CRED-13'],
  title: 'Twenty requests at once on five dollars are all admitted',
  needs: ['workspace'],
  async run(context) {
    await context.own({ balanceMicros: 5_000_000 })
    const answers = await Promise.all(Array.from({ length: 20 }, () => context.chat()))
    for (const answer of answers) expectChat(answer)
  },
})
