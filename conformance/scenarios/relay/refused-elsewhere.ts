import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectStream } from '../../engine/stream.ts'

/** Two seconds of rest, as the backend asks for it. */
const RETRY_AFTER = '2'

export default define({
  id: 'relay/refused-elsewhere',
  rules: ['RLAY-15', 'RLAY-10'],
  title:
    'A backend that answers 429, 502, 503 or 504 is passed over for another one, left alone, and used again later',
  needs: ['generation', 'backendScript', 'model:replicas'],
  subjects: ['router'],
  // Whether a probe is due is chance.
  isCompared: false,
  waitsMs: () => 4 * Number(RETRY_AFTER) * 1_000,
  async run(context) {
    const model = context.model('replicas')
    for (const status of [429, 502, 503, 504]) {
      await context.script({ model: 'replica-a', status, headers: { 'retry-after': RETRY_AFTER } })
      const before = (await context.received()).length
      const begunMs = performance.now()
      for (let turn = 0; turn < 3; turn++) {
        expectChat(await context.chat({ model }))
        expectStream(await context.chat({ model, stream: true }))
      }
      const names = (await context.received())
        .slice(before)
        .map(({ body }) => JSON.parse(body).model as string)
      assert.equal(names.filter((name) => name === 'replica-b').length, 6)
      // Where the six took longer than its rest, it was rightly asked again, once for each.
      const rests = Math.floor((performance.now() - begunMs) / (Number(RETRY_AFTER) * 1_000))
      const asked = names.filter((name) => name === 'replica-a').length
      assert.ok(asked >= 1, 'it was not asked at all')
      assert.ok(asked <= 1 + rests, `it was not left alone after a ${status}, but asked ${asked} times`)
      await context.script({})
      await context.eventually(
        'the backend that is back serves again',
        async () => {
          expectChat(await context.chat({ model }))
          return (await context.received()).at(-1)?.body.includes('replica-a')
        },
        10_000,
      )
    }
  },
})
