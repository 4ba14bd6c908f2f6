import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'keys/scoped',
  rules: ['KEY-08', 'AUTH-08', 'ERR-13', 'MODL-21'],
  title:
    'A key that is held to some models may use these, and 403 model_not_in_key_scope answers for another',
  needs: ['workspace', 'model:other'],
  async run(context) {
    await context.own({ scope: ['chat'] })
    expectStatus(await context.chat(), 200)
    const body = { model: context.model('other') }
    expectError(await context.chat(body), 'model_not_in_key_scope')
    expectError(await context.chat({ ...body, stream: true }), 'model_not_in_key_scope')
  },
})
