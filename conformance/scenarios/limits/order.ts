import assert from 'node:assert/strict'
import { expectStatus } from '../../engine/expect.ts'
import { exhaust, exhaustionMs, expectLimited } from '../../engine/limits.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'limits/order',
  rules: ['LIM-02'],
  title:
    'Over several limits a request is told of the first: key requests, workspace requests, key tokens, workspace tokens',
  needs: ['workspace', 'feature:rate-limits', 'backendScript', 'model:free'],
  // How often has to be asked is chance.
  isCompared: false,
  waitsMs: exhaustionMs,
  async run(context) {
    const { requestsPerMinute, tokensPerMinute } = context.target.limits
    const model = context.model('free')
    const all = 2 * tokensPerMinute
    await context.script({ chunks: 1, beforeHeadersMs: 1_500, completionTokens: all })
    const generous = await context.own({ requestsPerMinute: 10 * requestsPerMinute })
    // Both are admitted before the tokens of either are known, and use up all there is.
    const both = await context.accounts.addKey(generous, { requestsPerMinute: 2, tokensPerMinute: 7 })
    const few = await context.accounts.addKey(generous, { tokensPerMinute: 9 })
    const ask = (account: typeof both) => context.chat({ model, max_tokens: all }, { account })
    for (const answer of await Promise.all([ask(both), ask(both), ask(few)])) expectStatus(answer, 200)
    const usual = await context.accounts.addKey(generous)
    expectLimited(await ask(usual), tokensPerMinute)
    expectLimited(await ask(few), 9)
    expectLimited(await ask(both), 2)

    // Another workspace, for its requests are to be used up while its tokens are not.
    await context.script({ chunks: 1 })
    const second = await context.accounts.open({ requestsPerMinute: 10 * requestsPerMinute })
    const one = await context.accounts.addKey(second, { requestsPerMinute: 1 })
    const dry = await context.accounts.addKey(second, { tokensPerMinute: 1 })
    for (const answer of await Promise.all([ask(one), ask(dry)])) expectStatus(answer, 200)
    let isShown = false
    for (let turn = 0; turn < 20 && !isShown; turn++) {
      await exhaust(context, requestsPerMinute, () => ({ account: second }))
      // Requests come back to the workspace all the time; others around them take those.
      const others = () =>
        Array.from({ length: 10 }, () => context.chat({ max_tokens: 1 }, { account: second }))
      const [, ofDry, ofOne] = await Promise.all([Promise.all(others()), ask(dry), ask(one), ...others()])
      isShown = expectLimited(ofDry).limit === requestsPerMinute
      expectLimited(ofOne, 1)
    }
    assert.ok(isShown, 'a key without tokens was never told of the requests of its workspace')
  },
})
