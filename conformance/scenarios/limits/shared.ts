import assert from 'node:assert/strict'
import { exhaustionMs, expectLimited, mostIn } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

const PER_MINUTE = 6

export default define({
  id: 'limits/shared',
  rules: ['LIM-40'],
  title:
    'Routers that share a store admit no more together than one alone, however many requests come at once',
  needs: ['workspace', 'feature:rate-limits', 'backendScript', 'sibling', 'storeWire'],
  subjects: ['router'],
  waitsMs: exhaustionMs,
  async run(context) {
    await context.script({ chunks: 1 })
    const own = await context.own({ requestsPerMinute: PER_MINUTE })
    const { siblingUrl = '' } = context.target
    const since = Date.now()
    const answers = await Promise.all(
      Array.from({ length: 4 * PER_MINUTE }, (_, turn) =>
        context.chat({}, { account: own, ...(turn % 2 === 0 && { baseUrl: siblingUrl }) }),
      ),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    for (const refusal of refused) expectLimited(refusal, PER_MINUTE)
    const admitted = answers.length - refused.length
    const most = mostIn(Date.now() - since, PER_MINUTE)
    assert.ok(admitted >= PER_MINUTE && admitted <= most, `${admitted} were admitted, not ${PER_MINUTE}`)
  },
})
