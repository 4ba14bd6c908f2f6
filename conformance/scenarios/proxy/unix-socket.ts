import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/unix-socket',
  rules: ['PRXY-12'],
  title: 'The proxy serves a Unix socket as it serves a port',
  needs: ['key', 'proxySocket'],
  subjects: ['proxy'],
  async run(context) {
    const { key } = await context.own()
    const { status, verdict, body } = await ask(context.target.proxySocket ?? '', key)
    assert.equal(status, 200, `it is answered ${status}`)
    assert.equal(verdict, 'allow')
    assert.match(body, /"object":"list"/)
  },
})

interface Answer {
  readonly status: number
  readonly verdict: unknown
  readonly body: string
}

/** Lists the models; the status is 0 when nobody answers. */
function ask(socketPath: string, key: string): Promise<Answer> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}` }
    const asked = request({ socketPath, path: '/v1/models', headers, agent: false }, (response) => {
      const { statusCode: status = 0, headers: told } = response
      text(response).then(
        (body) => resolve({ status, verdict: told['x-proxy-verdict'], body }),
        (error: Error) => resolve({ status: 0, verdict: undefined, body: error.message }),
      )
    })
    asked.on('error', (error) => resolve({ status: 0, verdict: undefined, body: error.message }))
    asked.end()
  })
}
