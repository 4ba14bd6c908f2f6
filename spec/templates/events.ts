import { limits } from '../../generated/limits.ts'

/**
 * The data of each event of an event stream. Comments and other fields are passed over; lines end with CR, LF or
 * both, and any split of the bytes is the same stream.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  let data: string[] = []
  for await (const line of readLines(body)) {
    if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
    else if (line === 'data') data.push('')
    else if (line === '' && data.length > 0) {
      yield data.join('\n')
      data = []
    }
  }
}

/** Whole lines, without their ends; a last line that was not ended is no line. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let started: string[] = []
  let length = 0
  let endedWithCr = false
  for await (const bytes of chunksOf(body)) {
    let text = decoder.decode(bytes, { stream: true })
    if (text === '') continue
    // A line that CR ended is told at once; the LF that may follow it belongs to the same end.
    if (endedWithCr && text.startsWith('\n')) text = text.slice(1)
    endedWithCr = text.endsWith('\r')
    const [first = '', ...rest] = text.split(/\r\n|\r|\n/)
    started.push(first)
    length += first.length
    for (const next of rest) {
      yield started.join('')
      started = [next]
      length = next.length
    }
    if (length > limits.maxEventBytes) throw new RangeError('An event of the stream is too large.')
  }
}

/** Leaves nothing open, however the reading ends. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
