import type { ErrorCode } from '#contract/errors'
import { expectAborted } from '../../engine/aborted.ts'
import * as assert from '../../engine/assert.ts'
import { shows } from '../../engine/checks.ts'
import { expectError, expectStatus } from '../../engine/expect.ts'
import type { Definition, Description } from '../../engine/scenario.ts'
import { expectFailedStream, expectStream } from '../../engine/stream.ts'
import { toldLate } from '../../engine/told-late.ts'
import type { Topic } from '../../engine/topic.ts'

/** All of it is legal. */
const wires = {
  crlf: { lineEnd: 'crlf' },
  cr: { lineEnd: 'cr' },
  'byte-order-mark': { bom: true },
  comments: { comments: true },
  'no-space': { noSpace: true },
  'multi-line': { multiLine: true },
  'id-last': { idLast: true },
  'id-per-chunk': { idPerChunk: true },
  'single-bytes': { bytesPerWrite: 1 },
  'events-at-once': { eventsPerWrite: 4 },
}

/** Streams that one slow moment of the machine may spoil (ours). */
const ATTEMPTS = 5

interface LateFailure extends Description {
  /** What goes wrong, in the words of the scripted backend. */
  readonly fault: object
  /** Of the error event. */
  readonly code: ErrorCode
}

export default {
  'backend-cut': failingLate({
    rules: ['STRM-14', 'STRM-18'],
    title: 'A backend that dies in the middle becomes an error event, and what came is metered',
    fault: { kind: 'cut' },
    code: 'backend_unavailable',
  }),

  'backend-cut-in-event': {
    rules: ['STRM-25'],
    title: 'A backend that dies within an event becomes an error event, with no half event before it',
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      for (const lineEnd of ['lf', 'crlf', 'cr'] as const) {
        await context.script({
          chunks: 8,
          wire: { lineEnd },
          fault: { kind: 'cut', afterChunks: 3, half: true },
        })
        const exchange = await context.chat({ stream: true })
        // Every event is read as JSON, so that a half one is seen.
        const { error, text } = expectFailedStream(exchange)
        assert.equal(error.code, 'backend_unavailable')
        assert.equal(text, 'word1 word2 word3')
        await expectAborted(context, exchange)
      }
    },
  },

  'backend-eof': failingLate({
    rules: ['STRM-14', 'STRM-18'],
    title: 'A backend that ends without [DONE] becomes an error event, and what came is metered',
    fault: { kind: 'eof' },
    code: 'backend_unavailable',
  }),

  'backend-error': failingLate({
    rules: ['STRM-16', 'STRM-18'],
    title: 'An error within the stream of the backend becomes an error event, and what came is metered',
    fault: { kind: 'error' },
    code: 'backend_error',
  }),

  'backend-error-without-done': failingLate({
    rules: ['STRM-16', 'STRM-18'],
    title: 'An error of the backend that no [DONE] follows ends the stream no less well',
    fault: { kind: 'error', done: false },
    code: 'backend_error',
  }),

  'backend-malformed': failingLate({
    rules: ['STRM-15', 'STRM-18'],
    title: 'A malformed event of the backend becomes an error event, and what came is metered',
    fault: { kind: 'malformed' },
    code: 'backend_error',
  }),

  'backend-stall': failingLate({
    rules: ['STRM-17', 'STRM-18'],
    title: 'A backend that falls silent becomes an error event, and what came is metered',
    fault: { kind: 'stall' },
    code: 'backend_unavailable',
    waitsMs: ({ idleMs }) => idleMs * 1.5,
  }),

  'early-failure': {
    rules: ['STRM-11'],
    title: 'A backend that fails before the first ping is due leaves the answer its own status',
    needs: ['generation', 'backendScript'],
    // Others that keep the machine busy could make a ping due, and how often it has to be asked is chance.
    isExclusive: true,
    isCompared: false,
    async run(context) {
      const beforeHeadersMs = context.target.limits.pingMs * 0.1
      const error = { error: { message: 'No.', code: null } }
      for (const [script, code] of [
        [{ status: 503 }, 'backend_unavailable'],
        [{ status: 400, error }, 'unsupported_parameter'],
      ] as const) {
        await context.script({ ...script, beforeHeadersMs })
        // Its own is the one that it has without a stream, whichever that is.
        shows()
        const whole = await context.chat()
        assert.ok(whole.status >= 400, `without a stream it is answered ${whole.status}`)
        let exchange = await context.chat({ stream: true })
        // One slow moment of the machine makes a ping due; not each time.
        for (let turn = 1; turn < ATTEMPTS && toldLate(exchange); turn++)
          exchange = await context.chat({ stream: true })
        shows('STRM-11')
        assert.equal(toldLate(exchange), undefined, 'it is told within a stream that has begun already')
        assert.equal(exchange.status, whole.status, 'its status is not the one that it has without a stream')
        // Which code is for what is RLAY-05 and REQ-36.
        shows()
        expectError(exchange, code)
      }
    },
  },

  'error-event': {
    rules: ['STRM-06', 'ERR-36', 'EVT-04'],
    title: 'An error after the start of a stream is its last event with an error object, and [DONE] follows',
    needs: ['generation', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 8, fault: { kind: 'cut', afterChunks: 3 } })
      const exchange = await context.chat({ stream: true })
      // What fails before a stream has begun is told otherwise.
      assert.equal(exchange.status, 200, 'no stream has begun')
      shows('STRM-06', 'ERR-36', 'EVT-04')
      const { text } = expectFailedStream(exchange)
      shows('STRM-06')
      assert.equal(text, 'word1 word2 word3')
    },
  },

  'large-event': {
    rules: ['STRM-20'],
    title: 'An event of nearly 1 MiB passes',
    needs: ['generation', 'backendScript'],
    async run(context) {
      const bytes = 1_000_000
      await context.script({ chunks: 4, fault: { kind: 'oversize', afterChunks: 2, bytes } })
      const { text, events } = expectStream(await context.chat({ stream: true }))
      assert.ok(text.endsWith('word4'), 'the stream did not go on after it')
      assert.ok(
        events.some(({ raw }) => raw.length > bytes),
        'the large event did not come',
      )
    },
  },

  'late-failure': {
    rules: ['STRM-11', 'STRM-18'],
    title: 'A backend that fails once pings have begun ends the stream with an error',
    needs: ['generation', 'backendScript'],
    waitsMs: ({ pingMs }) => pingMs * 2,
    async run(context) {
      const { pingMs } = context.target.limits
      await context.script({ status: 503, beforeHeadersMs: pingMs * 1.7 })
      const exchange = await context.chat({ stream: true })
      shows('STRM-11')
      expectStatus(exchange, 200)
      shows('STRM-18')
      const { error, chunks } = expectFailedStream(exchange)
      assert.equal(error.code, 'backend_unavailable')
      assert.deepEqual(chunks, [])
    },
  },

  'odd-backends': {
    rules: ['STRM-08', 'EVT-07'],
    title: 'However legally a backend writes its events, the client gets the same chunks under one id',
    needs: ['generation', 'backendScript'],
    async run(context) {
      const chunks = ['Grüße', ' 東京', ' 🚀', ' end']
      for (const [name, wire] of Object.entries(wires)) {
        shows('STRM-08')
        await context.script({ chunks, wire })
        const stream = expectStream(await context.chat({ stream: true }))
        assert.equal(stream.text, chunks.join(''), `the text is another with ${name}`)
        shows()
        assert.equal(new Set(stream.chunks.map(({ id }) => id)).size, 1, `several ids with ${name}`)
        shows('EVT-07')
        const others = stream.pings.filter(({ text }) => text !== ': ping')
        assert.deepEqual(others, [], `a comment of the backend came with ${name}`)
      }
      // What a backend writes over several lines is shown in an event of the router's own making, too.
      shows('STRM-08')
      await context.script({ chunks, wire: wires['multi-line'] })
      expectStream(await context.chat({ stream: true, stream_options: { include_usage: true } }))
    },
  },

  'oversized-event': failingLate({
    rules: ['STRM-20', 'STRM-18'],
    title: 'An event beyond 1 MiB ends the stream with an error event',
    fault: { kind: 'oversize', bytes: 1_200_000 },
    code: 'backend_error',
  }),
} satisfies Topic

/** A backend that goes wrong after its third chunk: what came is delivered, metered and followed by an error event. */
function failingLate({ fault, code, ...description }: LateFailure): Definition {
  const { rules } = description
  return {
    ...description,
    needs: ['workspace', 'books', 'backendScript'],
    async run(context) {
      await context.script({ chunks: 8, fault: { ...fault, afterChunks: 3 } })
      const exchange = await context.chat({ stream: true })
      shows(...rules)
      const { error, text } = expectFailedStream(exchange)
      // That it is told is all that STRM-18 says.
      shows(...rules.filter((rule) => rule !== 'STRM-18'))
      assert.equal(error.code, code)
      assert.equal(text, 'word1 word2 word3')
      const record = await expectAborted(context, exchange)
      // Three deltas, of 17 bytes in all.
      assert.equal(record.completion_tokens, 5)
      assert.ok(record.prompt_tokens > 0, 'the prompt was not counted')
    },
  }
}
