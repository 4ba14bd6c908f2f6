import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { chat } from '../../client/calls.ts'

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each([301, 302, 307, 308])(
  'a redirection by %s is no success, and nothing is sent twice',
  async (status) => {
    const elsewhere = vi.fn<RequestListener>((_, response) => void response.end('{}'))
    const other = await serve(elsewhere)
    const baseUrl = await serve((_, response) => {
      response.writeHead(status, { location: `${other}/v1/chat/completions` }).end()
    })
    const access = { baseUrl: `${baseUrl}/v1`, apiKey: 'sk', headers: { 'X-Proxy-Token': 'secret' } }
    const asked = chat(access, { model: 'm', messages: [{ role: 'user', content: 'a secret' }] })
    await expect(asked).rejects.toMatchObject({ name: 'RouterError', code: 'unknown', status })
    expect(elsewhere).not.toHaveBeenCalled()
  },
)
