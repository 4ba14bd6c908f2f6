import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../engine/context.ts'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

/** Long enough for every sensible number of failures, and for rests between probes to have grown (ours). */
const OUTAGE_MS = 4_000
const PAUSE_MS = 50

export default define({
  id: 'relay/circuit',
  rules: ['RLAY-10'],
  title: 'A backend that cannot be connected to is left out, and used again once a probe has found it back',
  needs: ['generation', 'backendScript', 'model:fragile', 'backendWire'],
  subjects: ['router'],
  waitsMs: () => OUTAGE_MS * 2,
  async run(context) {
    await context.script({ chunks: 1 })
    const before = new Set<string>()
    for (let request = 0; request < 4; request++) before.add(await servedBy(context))
    assert.equal(before.size, 2, 'both backends serve while both can be reached')
    await context.wire('backendWire').cut()
    const other = await servedBy(context)
    for (const until = Date.now() + OUTAGE_MS; Date.now() < until; await sleep(PAUSE_MS))
      assert.equal(await servedBy(context), other)
    await context.wire('backendWire').mend()
    for (let request = 0; request < 3; request++)
      assert.equal(await servedBy(context), other, 'it is used again at once')
    await context.eventually(
      'the backend that is back serves again',
      async () => (await servedBy(context)) !== other,
      OUTAGE_MS * 5,
    )
  },
})

/** What the backend that served calls the model. */
async function servedBy(context: Context): Promise<string> {
  expectStatus(await context.chat({ model: context.model('fragile') }), 200)
  const received = (await context.received()).at(-1)
  assert.ok(received, 'nothing reached a backend')
  return String((JSON.parse(received.body) as { model?: unknown }).model)
}
