import { request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { text } from 'node:stream/consumers'
import * as assert from '../../engine/assert.ts'
import { showing, shows } from '../../engine/checks.ts'
import { expectError, expectStatus } from '../../engine/expect.ts'
import { expectStream } from '../../engine/stream.ts'
import type { Topic } from '../../engine/topic.ts'

/** How long a connection may take (ours). */
const CONNECT_MS = 2_000

interface Answer {
  readonly status: number
  readonly verdict: unknown
  readonly body: string
}

export default {
  allow: {
    rules: ['PRXY-05', 'HDR-04'],
    title: 'Answers through the proxy say X-Proxy-Verdict allow',
    needs: ['generation'],
    subjects: ['proxy'],
    async run(context) {
      const answers = [
        await context.request('listModels'),
        await context.chat(),
        await context.chat({ stream: true }),
      ]
      for (const answer of answers) {
        shows()
        expectStatus(answer, 200)
        shows('PRXY-05', 'HDR-04')
        assert.equal(answer.headers['x-proxy-verdict'], 'allow')
      }
      shows()
      expectStream(answers[2]!)
    },
  },

  'allow-on-errors': {
    rules: ['HDR-05', 'AUTH-10'],
    title: 'Errors of the router, a 401 among them, still say X-Proxy-Verdict allow',
    needs: ['key'],
    subjects: ['proxy'],
    async run(context) {
      shows()
      const unknown = await context.request('listModels', { key: null })
      expectError(unknown, 'invalid_api_key')
      const absent = await context.chat({ model: 'absent' })
      expectError(absent, 'model_not_found')
      shows('HDR-05', 'AUTH-10')
      assert.equal(unknown.headers['x-proxy-verdict'], 'allow')
      shows('HDR-05')
      assert.equal(absent.headers['x-proxy-verdict'], 'allow')
    },
  },

  'cross-site': {
    rules: ['PRXY-28'],
    title:
      'What a page of another site causes is 403 forbidden_origin on every method, without an Origin too',
    needs: ['key', 'cors'],
    subjects: ['proxy'],
    async run(context) {
      const cause = (headers: Readonly<Record<string, string>>) => ({
        headers: { 'sec-fetch-site': 'cross-site', ...headers },
      })
      const refusals = [
        await context.request('listModels', cause({})),
        await context.request('listModels', cause({ origin: 'https://evil.example' })),
        await context.request('createChatCompletion', { ...cause({}), body: {} }),
      ]
      for (const refused of refusals) {
        expectError(refused, 'forbidden_origin')
        assert.equal(refused.headers['x-proxy-verdict'], undefined, 'a refusal claims a verdict')
      }
      const { corsOrigin = '' } = context.target
      expectStatus(await context.request('listModels', cause({ origin: corsOrigin })), 200)
      expectStatus(await context.request('listModels', { headers: { 'sec-fetch-site': 'none' } }), 200)
    },
  },

  'foreign-host': {
    rules: ['PRXY-11', 'PRXY-18'],
    title: 'A Host that is not this machine is 403 forbidden_origin, without a verdict',
    needs: ['key'],
    subjects: ['proxy'],
    async run(context) {
      for (const host of ['evil.example', 'router.example:8484', '203.0.113.7']) {
        const exchange = await context.request('listModels', { headers: { host } })
        shows('PRXY-11')
        assert.ok(exchange.status >= 400, `${host} is answered ${exchange.status}`)
        shows('PRXY-18')
        expectError(exchange, 'forbidden_origin')
        assert.equal(exchange.headers['x-proxy-verdict'], undefined)
      }
      shows('PRXY-11')
      expectStatus(await context.request('listModels'), 200)
    },
  },

  'foreign-origin': {
    rules: ['PRXY-11', 'PRXY-18'],
    title: 'A page of another origin is 403 forbidden_origin, one of a configured origin is served',
    needs: ['key', 'cors'],
    subjects: ['proxy'],
    async run(context) {
      const ask = (origin: string) => context.request('listModels', { headers: { origin } })
      const refused = await ask('https://evil.example')
      shows('PRXY-11')
      assert.ok(refused.status >= 400, `a page of another origin is answered ${refused.status}`)
      shows('PRXY-18')
      expectError(refused, 'forbidden_origin')
      assert.equal(refused.headers['x-proxy-verdict'], undefined)
      expectError(await ask('null'), 'forbidden_origin')
      expectStatus(await ask(context.target.corsOrigin ?? ''), 200)
    },
  },

  'key-untouched': {
    rules: ['PRXY-01'],
    title: 'Authorization passes the proxy untouched, whatever it holds',
    needs: ['key'],
    subjects: ['proxy'],
    async run(context) {
      const { key } = await context.own()
      for (const authorization of [`bearer  ${key}`, `BEARER ${key}`]) {
        expectStatus(await context.request('listModels', { key: null, headers: { authorization } }), 200)
      }
      const headers = { authorization: 'Basic dXNlcjpwYXNz' }
      expectError(await context.request('listModels', { key: null, headers }), 'invalid_api_key')
    },
  },

  loopback: {
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
      showing([], () => assert.equal(exchange.headers['x-proxy-verdict'], 'allow'))
      const others = Object.values(networkInterfaces())
        .flatMap((addresses) => addresses ?? [])
        .filter(({ internal, scopeid }) => !internal && !scopeid)
      for (const { address } of others)
        assert.ok(!(await isOpen(address, Number(port))), `it listens at ${address}`)
    },
  },

  'open-with-token': {
    rules: ['PRXY-10'],
    title: 'A listener of the proxy beyond loopback serves whoever presents its token, and nobody else',
    needs: ['key', 'openProxy'],
    subjects: ['proxy'],
    async run(context) {
      const { url: baseUrl = '', token = '' } = context.target.openProxy ?? {}
      const ask = (headers: Readonly<Record<string, string>>) =>
        context.request('listModels', { baseUrl, headers })
      for (const headers of [{}, { 'x-proxy-token': `${token}x` }, { 'x-proxy-token': '' }]) {
        const refused = await ask(headers)
        expectError(refused, 'forbidden_origin')
        assert.equal(refused.headers['x-proxy-verdict'], undefined)
      }
      const served = await ask({ 'x-proxy-token': token })
      expectStatus(served, 200)
      showing([], () => assert.equal(served.headers['x-proxy-verdict'], 'allow'))
    },
  },

  'own-headers': {
    rules: ['PRXY-13', 'PRXY-14'],
    title:
      'X-Proxy headers of the client go no further, nothing upstream tells of the verdict, and an upstream cannot give one',
    needs: ['key', 'routerWire'],
    subjects: ['proxy'],
    async run(context) {
      const wire = context.wire('routerWire')
      await wire.insert(context.nonce, 'X-Proxy-Verdict: deny')
      const headers = {
        'x-request-id': context.nonce,
        'x-proxy-verdict': 'allow',
        'x-proxy-token': 'a-token-of-the-client',
        'X-Proxy-Anything': 'else',
      }
      const exchange = await context.request('listModels', { headers })
      expectStatus(exchange, 200)
      shows('PRXY-13')
      assert.equal(exchange.headers['x-proxy-verdict'], 'allow')
      shows()
      const [head, ...others] = await wire.heads(context.nonce)
      assert.ok(head !== undefined && others.length === 0, 'the request did not reach the router once')
      shows('PRXY-13')
      assert.doesNotMatch(head, /x-proxy-/i)
      shows('PRXY-14')
      assert.doesNotMatch(head, /verdict|attest|sha256[:/]/i)
    },
  },

  'unix-socket': {
    rules: ['PRXY-12'],
    title: 'The proxy serves a Unix socket as it serves a port',
    needs: ['key', 'proxySocket'],
    subjects: ['proxy'],
    async run(context) {
      const { key } = await context.own()
      const { status, verdict, body } = await ask(context.target.proxySocket ?? '', key)
      assert.notEqual(status, 0, 'nobody answers')
      // What is answered is the router's matter, and what is said of it has rules of its own.
      shows()
      assert.equal(verdict, 'allow')
      assert.equal(status, 200, `it is answered ${status}`)
      assert.match(body, /"object":"list"/)
    },
  },
} satisfies Topic

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

/** Lists the models; the status is 0 when nobody answers. */
function ask(socketPath: string, key: string): Promise<Answer> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}` }
    const asked = request({ socketPath, path: '/v1/models', headers, agent: false }, (response) => {
      const { statusCode: status = 0, headers: told } = response
      text(response).then(
        (body) => resolve({ status, verdict: told['x-proxy-verdict'], body }),
        (error: Error) => resolve({ status: 0, verdict: undefined, body: error.message }),
      )
    })
    asked.on('error', (error) => resolve({ status: 0, verdict: undefined, body: error.message }))
    asked.end()
  })
}
