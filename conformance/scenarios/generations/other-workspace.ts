import { expectChat, expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'generations/other-workspace',
  rules: ['GEN-07', 'EP-14'],
  title: 'A record is read by the keys of its own workspace and by no other',
  needs: ['workspace'],
  async run(context) {
    const { id } = expectChat(await context.chat())
    const own = await context.own()
    expectStatus(await context.record(id, await context.accounts.addKey(own)), 200)
    expectError(await context.record(id, await context.accounts.open()), 'not_found')
  },
})
