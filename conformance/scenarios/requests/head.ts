import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/head',
  rules: ['REQ-45'],
  title: 'HEAD answers as GET does, without a body, and is not found where there is no GET',
  needs: ['key'],
  async run(context) {
    const { key } = await context.own()
    for (const [operation, sent] of [
      ['listModels', key],
      ['listModels', null],
      ['getEvidence', null],
    ] as const) {
      const got = await context.request(operation, { key: sent })
      const head = await context.request(operation, { key: sent, method: 'HEAD' })
      expectStatus(head, got.status)
      assert.equal(head.headers['content-type'], got.headers['content-type'])
      assert.equal(head.body.length, 0, 'there is a body')
    }
    const posted = await context.client.send({ method: 'HEAD', path: '/chat/completions', key })
    expectStatus(posted, 404)
  },
})
