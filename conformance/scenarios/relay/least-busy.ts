import assert from 'node:assert/strict'
import { define } from '../../engine/scenario.ts'
import { countTexts } from '../../engine/stream.ts'

export default define({
  id: 'relay/least-busy',
  rules: ['RLAY-09'],
  title: 'Of two backends the less busy one is taken',
  needs: ['generation', 'backendScript', 'model:twins'],
  // Another scenario may keep one of the two busy meanwhile.
  isCompared: false,
  async run(context) {
    await context.script({ chunks: 5, fault: { kind: 'stall', afterChunks: 2 } })
    const model = context.model('twins')
    const calls = [await context.stream({ model })]
    assert.ok(await calls[0]!.until((soFar) => countTexts(soFar) >= 2), 'the first stream did not begin')
    calls.push(await context.stream({ model }))
    assert.ok(await calls[1]!.until((soFar) => countTexts(soFar) >= 2), 'the second stream did not begin')
    const names = (await context.received()).map(({ body }) => JSON.parse(body).model)
    for (const call of calls) call.abort()
    assert.equal(names.length, 2)
    assert.notEqual(names[0], names[1], `both went to ${names[0]}`)
  },
})
