import assert from 'node:assert/strict'
import { expectChat } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

/** Longer than any answer of the scripted backend takes, shorter than others hold the memory (ours). */
const WAIT_MS = 400

export default define({
  id: 'requests/body-memory',
  rules: ['REQ-24', 'REQ-53'],
  title:
    'A large body waits while unfinished ones fill the memory of its workspace, and a small one does not',
  needs: ['generation', 'workspace', 'sibling'],
  subjects: ['router'],
  isExclusive: true,
  async run(context) {
    const { siblingUrl: baseUrl = '', limits } = context.target
    const { key } = await context.own()
    const { host, pathname } = new URL(baseUrl)
    const bytes = Math.floor(limits.maxBodyBytes * 0.9)
    const unfinished = [
      `POST ${pathname}/chat/completions HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}`,
      `Content-Type: application/json\r\nContent-Length: ${bytes + 1}\r\n\r\n{"user":"`.padEnd(bytes, 'x'),
    ].join('\r\n')
    const count = Math.ceil(limits.bodyMemoryBytes / bytes)
    // These fall silent, and are given up by the suite; until then even a busy machine has brought all of them.
    let areGone = false
    const others = Array.from({ length: count }, () =>
      context.client.raw(unfinished, { baseUrl, quietMs: 5_000 }),
    )
    const gone = Promise.all(others).then(() => {
      areGone = true
    })
    let longestMs = 0
    while (!areGone) {
      expectChat(await context.chat({}, { baseUrl }))
      const exchange = await context.chat({ padding: 'x'.repeat(bytes / 2) }, { baseUrl })
      expectChat(exchange)
      longestMs = Math.max(longestMs, exchange.endMs)
    }
    await gone
    assert.ok(longestMs > WAIT_MS, 'it was served beside more bodies than there is memory for')
  },
})
