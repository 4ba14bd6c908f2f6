import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

/** How long the platform shows a certificate that it has not signed for. */
const SPLIT_MS = 3_000

export default define({
  id: 'proxy/leaf-signed-late',
  rules: ['VERD-19', 'CONN-06'],
  title:
    'Requests that meet a new certificate before the platform has signed for it wait, with nothing sent, and are served',
  needs: ['generation', 'backendScript', 'platform', 'platformControl', 'proxyWire'],
  subjects: ['proxy'],
  isExclusive: true,
  waitsMs: () => SPLIT_MS,
  async run(context) {
    await context.script({ chunks: 2 })
    expectStatus(await context.chat(), 200)
    const { length: before } = await context.received()
    await context.control('/hold')
    await context.control('/rotate/leaf?resign=later')
    await context.wire('proxyWire').drop()
    try {
      const asked = [false, true, false].map((stream) => context.chat({ stream }))
      await sleep(SPLIT_MS)
      assert.equal((await context.received()).length, before, 'something was sent before it was signed for')
      await context.control('/resign')
      for (const answer of await Promise.all(asked)) expectStatus(answer, 200)
      assert.equal((await context.received()).length, before + 3, 'something was sent twice')
    } finally {
      await context.control('/resign')
      await context.control('/release')
    }
  },
})
