import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'relay/no-address-told',
  rules: ['RLAY-12'],
  title: 'A backend that names its own address or key in a refusal has them taken out, encoded ones too',
  needs: ['generation', 'backendScript'],
  async run(context) {
    await context.script({ chunks: 1 })
    expectStatus(await context.chat(), 200)
    const { host, authorization } = (await context.received()).at(-1)?.headers ?? {}
    const key = String(authorization ?? '').replace(/^Bearer /, '')
    const address = `http://${String(host)}/v1/chat/completions`
    const secrets = [String(host), String(host).split(':')[0]!, ...(key === '' ? [] : [key])]
    for (const told of [address, encodeURIComponent(address), ...secrets]) {
      const error = { error: { message: `Not so (${told}).`, type: 'x', param: told, code: 400 } }
      await context.script({ status: 400, error })
      for (const stream of [false, true]) {
        const { message, param = '' } = expectError(await context.chat({ stream }), 'unsupported_parameter')
        assert.match(message, /^Not so/)
        for (const secret of [...secrets, encodeURIComponent(String(host))])
          assert.ok(!`${message} ${param}`.includes(secret), `${secret} was told`)
      }
    }
  },
})
