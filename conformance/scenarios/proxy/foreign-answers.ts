import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { interposed } from '../../engine/hostile.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectStream } from '../../engine/stream.ts'

/** Beyond the 4 minutes after which a verdict is renewed, within the 5 that it lives. */
const AHEAD_MS = 245_000

/** What a stranger can answer: his own bundle, which names his certificate, and what is no bundle. */
const answers = [
  undefined,
  { status: 404, body: '{}' },
  { status: 200, body: '<html>Please sign in</html>' },
] as const

export default define({
  id: 'proxy/foreign-answers',
  rules: ['VERD-31'],
  title: 'What a stranger answers in the endpoint’s place cuts no stream and takes nothing from a verdict',
  needs: ['generation', 'backendScript', 'proxyControl', 'proxyWire', 'platform'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    await context.script({ chunks: 320, betweenChunksMs: 25 })
    // So that the verdict is young.
    await context.proxyControl('/restart')
    const call = await context.stream()
    assert.ok(await call.until((soFar) => countTexts(soFar) > 0), 'the stream did not begin')
    await interposed(
      context,
      async (hostile) => {
        await context.proxyControl('/advance', { milliseconds: AHEAD_MS })
        for (const answer of answers) {
          const { asked } = hostile
          hostile.answer(answer)
          await context.eventually('the evidence is fetched', async () => hostile.asked > asked, 10_000)
        }
      },
      { isDropping: false },
    )
    const { text } = expectStream(await call.done)
    assert.ok(text.endsWith('word320'), 'the stream did not come to its end')
    expectStatus(await context.request('listModels'), 200)
  },
})
