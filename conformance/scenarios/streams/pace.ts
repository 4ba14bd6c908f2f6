import { setTimeout as sleep } from 'node:timers/promises'
import { expectAborted } from '../../engine/aborted.ts'
import * as assert from '../../engine/assert.ts'
import { showing, shows } from '../../engine/checks.ts'
import { expectStatus } from '../../engine/expect.ts'
import type { Definition } from '../../engine/scenario.ts'
import { countTexts, expectStream, expectStreamed } from '../../engine/stream.ts'
import type { Topic } from '../../engine/topic.ts'

/** Streams that one slow moment of the machine may spoil: a product that buffers does so with each of them (ours). */
const ATTEMPTS = 5

/** Between two pieces, on a quick machine and at the most (ours). */
const PACE_MS = 120
const MAX_PACE_MS = 1_500

/**
 * More than the sockets of every hop hold unread: Linux lets one take 32 MiB, and its peer 4 (`tcp_rmem`, `tcp_wmem`), and
 * from a backend through router, gateway and proxy there are four. Of text only a letter each, which counts for one token.
 */
const PIECES = 1_200
const PIECE_BYTES = 300_000
const tooMuch = { chunks: Array<string>(PIECES).fill('x'), fields: { filler: 'x'.repeat(PIECE_BYTES) } }

export default {
  'connection-goes-on': {
    rules: ['STRM-04'],
    title: 'After the end of a stream its connection serves the next request',
    needs: ['generation'],
    async run(context) {
      for (let turn = 0; turn < 3; turn++) {
        expectStream(await context.chat({ stream: true }))
        expectStatus(await context.request('listModels'), 200)
      }
    },
  },

  pings: {
    rules: ['STRM-02', 'LIM-14', 'EVT-03'],
    title: 'While the first token is awaited, a comment line : ping goes out in each interval',
    needs: ['generation', 'backendScript'],
    waitsMs: ({ pingMs }) => pingMs * 6,
    async run(context) {
      const { pingMs, firstByteMs } = context.target.limits
      // On a busy machine an interval may be late; so may the backend, and it has to come in time.
      const leastMs = pingMs * 2.4
      const waitMs = Math.max(leastMs, Math.min(leastMs + context.patience(pingMs * 0.8), firstByteMs / 2))
      await context.script({ chunks: 2, beforeFirstChunkMs: waitMs })
      const exchange = await context.chat({ stream: true })
      shows()
      const { pings } = expectStream(exchange)
      shows('STRM-02', 'LIM-14', 'EVT-03')
      assert.ok(pings.length >= 2, `${pings.length} pings came in ${waitMs} ms`)
      shows('STRM-02', 'EVT-03')
      for (const { text } of pings) assert.equal(text, ': ping')
      shows('STRM-02', 'LIM-14')
      assert.ok(pings.length <= exchange.endMs / pingMs + 1, `${pings.length} in ${exchange.endMs} ms`)
      const firstMs = pings[0]!.atMs
      assert.ok(firstMs > pingMs * 0.5, `the first ping came after ${firstMs} ms already`)
      assert.ok(firstMs < pingMs + context.patience(pingMs), `the first ping came after ${firstMs} ms`)
    },
  },

  'pings-before-headers': {
    rules: ['STRM-02'],
    title: 'Pings go out as well while the backend has not answered at all',
    needs: ['generation', 'backendScript'],
    waitsMs: ({ pingMs }) => pingMs * 5,
    async run(context) {
      const { pingMs, firstByteMs } = context.target.limits
      // On a busy machine an interval may be late; so may the backend, and it has to come in time.
      const leastMs = pingMs * 1.4
      const waitMs = Math.max(leastMs, Math.min(leastMs + context.patience(pingMs * 0.8), firstByteMs / 2))
      await context.script({ chunks: 2, beforeHeadersMs: waitMs })
      const { pings, text } = expectStream(await context.chat({ stream: true }))
      assert.ok(pings.length >= 1, `${pings.length} pings came in ${waitMs} ms`)
      assert.notEqual(text, '')
    },
  },

  'pings-exact': {
    rules: ['STRM-12'],
    title:
      'Pings are exactly a line : ping and an empty one, between events only, and stop at the first text',
    needs: ['generation', 'backendScript'],
    waitsMs: ({ pingMs }) => pingMs * 5,
    async run(context) {
      const { pingMs } = context.target.limits
      await context.script({ chunks: 3, beforeFirstChunkMs: pingMs * 1.5, betweenChunksMs: pingMs * 1.2 })
      const { events } = expectStream(await context.chat({ stream: true }))
      const pings = events.filter(({ comments }) => comments.length > 0)
      showing([], () => assert.ok(pings.length > 0, 'no ping came'))
      for (const { raw } of pings) assert.equal(raw, ': ping\n\n')
      const firstText = events.findIndex(({ data }) => data?.includes('"content":"word1'))
      const after = events.slice(firstText).filter(({ comments }) => comments.length > 0)
      assert.ok(firstText > 0, 'the text did not come')
      assert.equal(after.length, 0, 'pings went on after the first text')
    },
  },

  'pings-stop-at-reasoning': pingsStopAt('reasoning', { reasoning: 2, chunks: 1 }),
  'pings-stop-at-tool-call': pingsStopAt('a tool call', {
    toolCalls: [{ name: 'look', arguments: ['{"a":', '1', '}'] }],
  }),

  'slow-reader': {
    rules: ['STRM-21'],
    title: 'A client that does not read slows the backend down',
    needs: ['generation', 'backendScript'],
    // How much the sockets on the way take is chance.
    isCompared: false,
    async run(context) {
      await context.script(tooMuch)
      const call = await context.stream()
      await call.until(({ reads }) => reads.length > 0)
      call.pause()
      const sent = async () => (await context.received()).at(-1)?.chunksSent ?? 0
      // What the sockets on the way can hold is written at once; then it must stop.
      let before = -1
      const stopped = await context.eventually(
        'the backend is slowed down',
        async () => {
          const now = await sent()
          const isStill = now > 0 && now === before
          before = now
          if (!isStill) await sleep(150)
          return isStill && now
        },
        10_000,
      )
      assert.ok(
        stopped < PIECES * 0.75,
        `${stopped} of ${PIECES} pieces of ${PIECE_BYTES} bytes were taken from the backend unread`,
      )
      call.abort()
    },
  },

  'stalled-client': {
    rules: ['STRM-22'],
    title: 'A client that reads nothing for the time allowed is dropped, and its generation is aborted',
    needs: ['workspace', 'books', 'backendScript'],
    // How much the sockets on the way take is chance.
    isCompared: false,
    waitsMs: ({ stalledClientMs }) => stalledClientMs * 1.5,
    async run(context) {
      await context.script(tooMuch)
      const call = await context.stream()
      await call.until(({ reads }) => reads.length > 0)
      call.pause()
      const { stalledClientMs } = context.target.limits
      const seen = call.exchange
      await sleep(stalledClientMs)
      const record = await expectAborted(context, seen)
      assert.ok(record.completion_tokens < PIECES)
    },
  },

  unbuffered: {
    rules: ['STRM-05', 'STRM-10'],
    title: 'Each chunk is handed on while the backend has not sent the next',
    needs: ['generation', 'backendScript'],
    async run(context) {
      // The backend falls silent after three pieces: a relay that waits for more shows none of them.
      await context.script({ chunks: 6, fault: { kind: 'stall', afterChunks: 3 } })
      const call = await context.stream()
      const came = await call.until((soFar) => countTexts(soFar) === 3, context.target.limits.idleMs)
      shows('STRM-05', 'STRM-10')
      if (!came && call.isOver) expectStreamed(call.exchange)
      assert.ok(came, `only ${countTexts(call.exchange)} of 3 pieces came before the backend went on`)
      call.abort()
    },
  },

  'unbuffered-pace': {
    rules: ['STRM-05', 'STRM-10'],
    title: 'Pieces arrive at the pace at which the backend writes them',
    needs: ['generation', 'backendScript'],
    // How often it has to look is chance.
    isCompared: false,
    async run(context) {
      shows()
      let [paceMs, widestMs] = [PACE_MS, 0]
      for (let attempt = 0; attempt < ATTEMPTS && widestMs <= paceMs * 2; attempt++) {
        // Who is slow to begin finds all that was written meanwhile: then as slowly is written.
        await context.script({ chunks: 1 })
        const whole = await context.chat()
        expectStatus(whole, 200)
        paceMs = Math.min(Math.max(PACE_MS, Math.round(whole.endMs)), MAX_PACE_MS)
        await context.script({ chunks: 5, betweenChunksMs: paceMs })
        const { events } = expectStream(await context.chat({ stream: true }))
        const texts = events.filter(({ data }) => /"content" *: *"[^"]/.test(data ?? ''))
        assert.equal(texts.length, 5)
        widestMs = texts[4]!.atMs - texts[0]!.atMs
      }
      shows('STRM-05', 'STRM-10')
      assert.ok(
        widestMs > paceMs * 2,
        `five pieces, written over ${paceMs * 4} ms, arrived within ${Math.round(widestMs)} ms`,
      )
    },
  },
} satisfies Topic

/** A backend whose first piece is no text: it ends the pings all the same. */
function pingsStopAt(piece: string, script: object): Definition {
  return {
    rules: ['STRM-12'],
    title: `Pings stop at the first piece of ${piece}`,
    needs: ['generation', 'backendScript'],
    waitsMs: ({ pingMs }) => pingMs * 5,
    async run(context) {
      const { pingMs } = context.target.limits
      await context.script({ ...script, beforeFirstChunkMs: pingMs * 1.5, betweenChunksMs: pingMs * 1.2 })
      const { events, pings } = expectStream(await context.chat({ stream: true }))
      showing([], () => assert.ok(pings.length > 0, 'no ping came'))
      const first = events.findIndex(({ data }) => /"reasoning_content":"|"tool_calls":\[/.test(data ?? ''))
      assert.ok(first > 0, 'the first piece did not come')
      const later = events.slice(first).filter(({ comments }) => comments.length > 0)
      assert.equal(later.length, 0, 'pings went on after it')
    },
  }
}
