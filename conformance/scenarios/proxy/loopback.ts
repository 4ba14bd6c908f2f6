import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { expectStatus } from '../../engine/expect.ts'
import { define } from '../../engine/scenario.ts'

export default define({
  id: 'proxy/loopback',
  rules: ['PRXY-09'],
  title: 'The proxy listens in plain HTTP on loopback, and on no other interface of its machine',
  needs: ['key'],
  subjects: ['proxy'],
  async run(context) {
    const { protocol, hostname, port } = new URL(context.target.proxyUrl ?? '')
    assert.equal(protocol, 'http:')
    assert.match(hostname, /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/)
    const exchange = await context.request('listModels')
    expectStatus(exchange, 200)
    assert.equal(exchange.headers['x-proxy-verdict'], 'allow')
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, scopeid }) => !internal && !scopeid)
    for (const { address } of others)
      assert.ok(!(await isOpen(address, Number(port))), `it listens at ${address}`)
  },
})

/** How long a connection may take (ours). */
const CONNECT_MS = 2_000

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: CONNECT_MS })
    const tell = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.on('connect', () => tell(true))
    socket.on('error', () => tell(false))
    socket.on('timeout', () => tell(false))
  })
}
