import assert from 'node:assert/strict'
import { objectOf } from '../../engine/http/exchange.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'requests/malformed-http',
  rules: ['ERR-02'],
  title:
    'Bytes that are no HTTP break nothing: an error in JSON or a closed connection, and the next request is served',
  needs: ['key'],
  async run(context) {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET /v1/models HTTP/9.9\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00',
    ]) {
      const { text, status, isClosed } = await context.client.raw(bytes)
      assert.ok(status >= 400 || (text === '' && isClosed), `it was answered: ${text.slice(0, 100)}`)
    }
    assert.equal(objectOf(await context.request('listModels')).object, 'list')
  },
})
