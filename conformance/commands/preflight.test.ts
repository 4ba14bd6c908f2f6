import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createHooks } from '../engine/hooks.ts'
import type { Target } from '../engine/target.ts'
import { bareTarget, type Product, serve } from '../testing/product.ts'
import { mismatchOf } from './preflight.ts'

let product: Product | undefined

afterEach(() => product?.stop())

interface Answers {
  readonly models?: readonly string[]
  readonly list?: number
  readonly chat?: number
}

/** A router that answers like that; gives the target's file that names the model `a/model`, and what was asked. */
async function ask(
  { models = ['a/model'], list = 200, chat = 200 }: Answers,
  changes: Partial<Target> = {},
  needs: readonly 'generation'[] = ['generation'],
) {
  const asked: string[] = []
  product = await serve(({ method, url = '' }: IncomingMessage, response: ServerResponse) => {
    asked.push(`${method} ${url.slice('/v1'.length)}`)
    const isList = url === '/v1/models'
    const status = isList ? list : method === 'POST' ? chat : 404
    const body = isList ? { data: models.map((id) => ({ id })) } : { error: { code: 'odd' } }
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  const target = bareTarget(product.baseUrl, changes)
  const [hooks, scenarios] = [createHooks(target.hooks), [{ needs }]]
  const said = await mismatchOf({ target, hooks, scenarios, seed: 1, tellSecret: () => {} })
  return { said, asked }
}

test.each<[string, Answers, RegExp]>([
  [
    'a model that is not there, and lists those that are',
    { models: ['x', 'y'], chat: 404 },
    /no model a\/model, .* it lists x, y\. A chat .* 404/,
  ],
  [
    'a key that is not accepted',
    { list: 401 },
    /^The key keys\.active is not accepted: GET \/models answers 401: /,
  ],
  [
    'a chat that is not answered',
    { chat: 503 },
    /^A chat with the model a\/model is not answered 200: .* 503: \{"error"/,
  ],
])('a target is refused before any verdict for %s', async (_, answers, why) => {
  expect((await ask(answers)).said).toMatch(why)
})

/** A server that answers so below a path, 404 elsewhere, and the sentence on a target file that leads to `/wrong/v1` there. */
async function askAt(path: string, status: number): Promise<string | undefined> {
  product = await serve(({ url = '' }, response) => {
    response.statusCode = url.startsWith(path) ? status : 404
    response.end('{}')
  })
  const target = bareTarget(product.baseUrl.replace(/v1$/, 'wrong/v1'))
  const hooks = createHooks({})
  return mismatchOf({ target, hooks, scenarios: [{ needs: [] }], seed: 1, tellSecret: () => {} })
}

test('an address that leads to no router is told, and where there is one instead', async () => {
  expect(await askAt('/v1/', 401)).toMatch(
    /^baseUrl leads to no router: GET \S+\/wrong\/v1\/models and POST .* 404\. There is one at http:\/\/127\.0\.0\.1:\d+\/v1: /,
  )
  product?.stop()
  expect(await askAt('/nowhere', 401)).toMatch(/^baseUrl leads to no router: .* answer 404\.$/)
})

test('a router that has chats and lists no models is for the rules to judge', async () => {
  expect((await ask({ list: 404 })).said).toBeUndefined()
})

test('a router that another model serves than the scripted one is refused', async () => {
  const own = await serve((_, response) => response.end('[]'))
  try {
    const backendScript = { url: own.baseUrl.replace(/\/v1$/, '') }
    const { said } = await ask({}, { hooks: { backendScript } })
    expect(said).toMatch(/^The scripted model does not serve a\/model: .* nothing of it came to http/)
  } finally {
    own.stop()
  }
})

test('a router that serves what its list leaves out is for the rules to judge', async () => {
  expect((await ask({ models: [] })).said).toBeUndefined()
})

test('where nothing may be charged, or nothing that runs is generated, the preflight only reads', async () => {
  const reading = await ask({ models: ['x'] }, { mayGenerate: false })
  expect(reading.said).toMatch(/it lists x\.$/)
  expect(reading.asked.every((one) => one.startsWith('GET '))).toBe(true)
  const other = await ask({}, {}, [])
  expect([other.said, other.asked.some((one) => one.startsWith('POST '))]).toEqual([undefined, false])
})
