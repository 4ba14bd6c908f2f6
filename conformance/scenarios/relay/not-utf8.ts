import assert from 'node:assert/strict'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'
import { expectFailedStream } from '../../engine/stream.ts'

export default define({
  id: 'relay/not-utf8',
  rules: ['RLAY-13', 'STRM-15'],
  title:
    'An answer whose bytes are not UTF-8 is 502 backend_error, and a stream of such ends with an error event',
  needs: ['generation', 'backendScript'],
  async run(context) {
    const body = Buffer.from('{"object":"chat.completion","choices":[{"index":0,"message":{"content":"?"}}]}')
    await context.script({ bytes: withBadByte(body) })
    expectError(await context.chat(), 'backend_error')
    const head = '"id":"x","object":"chat.completion.chunk","created":1,"model":"x"'
    const good = `data: {${head},"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}\n\n`
    const events = Buffer.from(`${good}${good.replace('"a"', '"?"')}data: [DONE]\n\n`)
    await context.script({ bytes: withBadByte(events), headers: { 'content-type': 'text/event-stream' } })
    const exchange = await context.chat({ stream: true })
    expectStatus(exchange, 200)
    const { error, text } = expectFailedStream(exchange)
    assert.deepEqual([error.code, text], ['backend_error', 'a'])
  },
})

/** The bytes in base64, with one that begins no character in place of the question mark. */
function withBadByte(bytes: Buffer): string {
  bytes[bytes.indexOf('?')] = 0xff
  return bytes.toString('base64')
}
