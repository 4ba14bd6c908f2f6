import { afterEach, expect, test } from 'vitest'
import { type Product, serve } from '../testing/product.ts'
import { createHooks, HookError } from './hooks.ts'

let product: Product | undefined

afterEach(() => product?.stop())

const script = (text: string) => ({ command: [process.execPath, '-e', text] })

test('a hook that is an address takes a POST of JSON', async () => {
  product = await serve((request, response) => {
    request.on('data', (body: Buffer) => {
      const { balance_micros } = JSON.parse(body.toString())
      response.end(JSON.stringify({ id: `${request.method} ${request.url}`, balance_micros }))
    })
  })
  const hooks = createHooks({ createWorkspace: { url: `${product.baseUrl}/make` } })
  expect(await hooks('createWorkspace', { balance_micros: 5 })).toEqual({
    id: 'POST /v1/make',
    balance_micros: 5,
  })
})

test('a hook that is a command reads JSON from its standard input and prints its answer', async () => {
  const echo = `process.stdin.on('data', (d) => console.log(JSON.stringify({ ...JSON.parse(d), id: 'ws_1' })))`
  const hooks = createHooks({ createWorkspace: script(echo) })
  expect(await hooks('createWorkspace', { balance_micros: 7 })).toEqual({ id: 'ws_1', balance_micros: 7 })
})

test.each([
  ['that is missing', {}, /no hook reset/],
  [
    'that fails',
    { reset: script('console.error("out of order"); process.exit(3)') },
    /ended with 3: out of order/,
  ],
  ['that is not there', { reset: { command: ['/nowhere/at-all'] } }, /ENOENT/],
  ['that nothing listens for', { reset: { url: 'http://127.0.0.1:9/' } }, /the hook reset failed/],
  ['that prints no JSON', { reset: script('console.log("done")') }, /in another form/],
])('a hook %s is an error of the run', async (_, hooks, problem) => {
  const asked = createHooks(hooks)('reset', {})
  await expect(asked).rejects.toBeInstanceOf(HookError)
  await expect(asked).rejects.toThrow(problem)
})

test('a hook that answers in another form is an error of the run', async () => {
  const hooks = createHooks({ createKey: script('console.log(JSON.stringify({ id: "key_1" }))') })
  await expect(hooks('createKey', { workspace_id: 'ws_1' })).rejects.toThrow(
    /createKey answered in another form/,
  )
})
