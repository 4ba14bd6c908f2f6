/** Reads an event stream as the standard has it: any line end, a mark at the beginning, comments passed over. */
export async function* dataOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let [rest, isAfterCr] = ['', false]
  let data: string[] = []
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true })
    if (text === '') continue
    // The second half of a CRLF is no line more.
    rest += isAfterCr && text.startsWith('\n') ? text.slice(1) : text
    isAfterCr = text.endsWith('\r')
    const lines = rest.split(/\r\n|\n|\r/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice('data:'.length).replace(/^ /, ''))
      if (line !== '' || data.length === 0) continue
      yield data.join('\n')
      data = []
    }
  }
}

/** The text of an event with these data: with a name and a number, in lines that end with CR and LF. */
export function eventOf(number: number, data: object | string): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data, null, 1).replace(/\n */g, ' ')
  return `event: message\r\nid: ${number}\r\ndata: ${text}\r\n\r\n`
}

/** A ping: the line alone, which no empty one follows. */
export const PING = ': ping\r\n'
