import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

export default define({
  id: 'proxy/allow',
  rules: ['PRXY-05', 'HDR-04'],
  title: 'Answers through the proxy say X-Proxy-Verdict allow',
  needs: ['generation'],
  subjects: ['proxy'],
  async run(context) {
    const answers = [
      await context.request('listModels'),
      await context.chat(),
      await context.chat({ stream: true }),
    ]
    for (const answer of answers) {
      expectStatus(answer, 200)
      assert.equal(answer.headers['x-proxy-verdict'], 'allow')
    }
    expectStream(answers[2]!)
  },
})
