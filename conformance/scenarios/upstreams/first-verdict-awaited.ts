import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { upstreamNeeds, withUpstream } from '../../engine/upstream.ts'

const PAUSE_MS = 500

export default define({
  id: 'upstreams/first-verdict-awaited',
  rules: ['VERD-14', 'VERD-15', 'VRFY-03'],
  title: 'A request during an upstream’s first check waits for it, and goes over a connection of its own',
  needs: upstreamNeeds,
  subjects: ['router'],
  isExclusive: true,
  run: (context) =>
    withUpstream(
      context,
      async (upstream) => {
        const { gateway } = upstream
        gateway.hold(true)
        await upstream.register()
        const call = await context.open('createChatCompletion', { body: { model: context.model('doubted') } })
        await context.eventually('the evidence is asked for', async () => gateway.asked > 0)
        await sleep(PAUSE_MS)
        assert.ok(!call.isOver, 'it is answered before anything can have been verified')
        assert.equal(gateway.sent.length, 0, 'it was sent before anything was verified')
        gateway.hold(false)
        expectStatus(await call.done, 200)
        assert.equal(gateway.sent.length, 1)
        // Each look at the evidence had one, too.
        assert.ok(
          gateway.connections > gateway.asked,
          'it went over a connection that evidence was read from',
        )
      },
      { isRegistered: false },
    ),
})
