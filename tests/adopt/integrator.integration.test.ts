import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type ErrorCode, errors } from '#contract/errors'
import type { KeySettings } from '../../server/store/key-record.ts'
import type { Step } from '../guides/page.ts'
import { demoModel, type Service, startService } from '../service.ts'
import { type Beginner, beginWithPackage, stepsIn } from './folder.ts'

/** Runs the page's own program once more, by another key or elsewhere; it has to end with this code and nothing else. */
function refusedBy(code: string, environment: Readonly<Record<string, string>>) {
  const text = `node chat.mjs 2> said.txt && exit 1\ngrep '^${code} ' said.txt > seen.txt || { cat said.txt >&2; exit 1; }\n`
  const step: Step = {
    kind: 'run',
    printed: undefined,
    block: { language: 'sh', text, line: 0, remark: undefined },
  }
  return (integrator: Beginner) => integrator.follow([step], { environment })
}

async function startRouter(): Promise<Service> {
  const service = await startService({
    models: (url) => [demoModel(url), demoModel(url, { id: 'demo/other' })],
  })
  onTestFinished(() => service.stop())
  return service
}

/** Answers each request with the error that its path names, as the contract has it. */
async function startRefuser(): Promise<string> {
  const server = createServer((request, response) => {
    const code = request.url!.split('/')[1] as ErrorCode
    const { status, type } = errors[code]
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-1' })
    response.end(JSON.stringify({ error: { message: 'Words for people.', type, code } }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('an integrator with an archive has a streamed answer, its record, and each error by its code', async () => {
  const integrator = await beginWithPackage('client')
  const service = await startRouter()
  const account = async (balance: bigint, settings: KeySettings = {}) =>
    (await service.createAccount(balance, settings)).apiKey
  const begun = {
    BASE_URL: service.baseUrl,
    API_KEY: await account(5_000_000n),
  }
  expect(await integrator.follow(stepsIn('pack/client/README.md'), { environment: begun })).toEqual([])
  expect(await service.verify()).toMatchObject({ generations: 1, differences: [] })

  const spent = await account(5_000_000n, { requestsPerMinute: 1 })
  await fetch(`${service.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${spent}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo/tiny-chat', messages: [{ role: 'user', content: 'Hello' }] }),
  }).then((answer) => answer.text())
  const keys = {
    invalid_api_key: `sk-tee-v1-${'a'.repeat(43)}`,
    insufficient_credits: await account(0n),
    key_spend_limit_reached: await account(5_000_000n, { spendLimitMicros: 0n }),
    model_not_in_key_scope: await account(5_000_000n, { modelScope: ['demo/other'] }),
    api_key_expired: await account(5_000_000n, { expiresAt: new Date(0) }),
    rate_limit_exceeded: spent,
  }
  for (const [code, key] of Object.entries(keys))
    expect(await refusedBy(code, { ...begun, API_KEY: key })(integrator)).toEqual([])

  await service.stopRouter()
  expect(await refusedBy('unreachable', begun)(integrator)).toEqual([])
  const refuser = await startRefuser()
  for (const code of Object.keys(errors)) {
    const found = await refusedBy(code, { ...begun, BASE_URL: `${refuser}/${code}/v1` })(integrator)
    expect(found).toEqual([])
  }
})
