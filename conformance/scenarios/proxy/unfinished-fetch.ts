import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { interposed } from '../../engine/hostile.ts'
import { define } from '../../engine/scenario.ts'
import { countTexts, expectStream } from '../../engine/stream.ts'

/** Beyond the 4 minutes after which a verdict is renewed, within the 5 that it lives. */
const AHEAD_MS = 245_000

export default define({
  id: 'proxy/unfinished-fetch',
  rules: ['VERD-12', 'VERD-17', 'VERD-07'],
  title:
    'A verdict is renewed after 4 minutes, and a fetch of evidence that is answered 5xx or 429 takes nothing from it',
  needs: ['generation', 'backendScript', 'proxyControl', 'proxyWire', 'platform'],
  subjects: ['proxy'],
  isExclusive: true,
  async run(context) {
    await context.script({ chunks: 120, betweenChunksMs: 25 })
    // So that the verdict is young.
    await context.proxyControl('/restart')
    const call = await context.stream()
    assert.ok(await call.until((soFar) => countTexts(soFar) > 0), 'the stream did not begin')
    await interposed(
      context,
      async (hostile) => {
        for (const status of [503, 429]) {
          const { asked } = hostile
          hostile.answer({ status, body: '{}' })
          if (status === 503) await context.proxyControl('/advance', { milliseconds: AHEAD_MS })
          await context.eventually('the evidence is fetched', async () => hostile.asked > asked, 5_000)
        }
      },
      { isDropping: false },
    )
    const { text } = expectStream(await call.done)
    assert.ok(text.endsWith('word120'), 'the stream did not come to its end')
    expectStatus(await context.request('listModels'), 200)
  },
})
