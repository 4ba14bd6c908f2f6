import { afterEach, expect, test } from 'vitest'
import { type Product, serve } from '../testing/product.ts'
import { createHooks, HookError } from './hooks.ts'
import { NotTestable } from './thrown.ts'

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
    /ended with 3: out of order$/,
  ],
  ['that is killed', { reset: script('process.kill(process.pid, "SIGKILL")') }, /ended with SIGKILL/],
  ['that is not there', { reset: { command: ['/nowhere/at-all'] } }, /ENOENT/],
  [
    'that nothing listens for',
    { reset: { url: 'http://127.0.0.1:9/' } },
    /the hook reset failed: fetch failed: bad port/,
  ],
  ['that prints no JSON', { reset: script('console.log("done")') }, /in another form/],
])('a hook %s is an error of the run', async (_, hooks, problem) => {
  const asked = createHooks(hooks)('reset', {})
  await expect(asked).rejects.toBeInstanceOf(HookError)
  await expect(asked).rejects.toThrow(problem)
})

test('a command that leaves something running has answered when it has ended itself', async () => {
  const lasting = JSON.stringify('setTimeout(() => process.stdout.write("and more"), 20_000)')
  const starting = `
    const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, ['-e', ${lasting}], { stdio: ['ignore', 'inherit', 'inherit'], detached: true })
    process.stdout.write(JSON.stringify({ id: String(child.pid), balance_micros: 3 }) + ' '.repeat(200_000))
    child.unref()`
  // With what that writes later the answer would be no JSON.
  const { id } = await createHooks({ createWorkspace: script(starting) })('createWorkspace', {
    balance_micros: 3,
  })
  expect(process.kill(Number(id))).toBe(true)
})

test('a hook that answers in another form is an error of the run', async () => {
  const hooks = createHooks({ createKey: script('console.log(JSON.stringify({ id: "key_1" }))') })
  await expect(hooks('createKey', { workspace_id: 'ws_1' })).rejects.toThrow(
    /createKey answered in another form/,
  )
})

const active = { state: 'active', revoked_at: null }
const past = '2020-01-01T00:00:00Z'

test.each<[string, object, object, RegExp]>([
  ['revoked', { revoked: true }, active, /revoked: true is not in its answer, which says "active"/],
  [
    'with an end',
    { expires_at: past },
    active,
    /expires_at: "2020-\S+ is not in its answer, which says nothing/,
  ],
  [
    'with a limit',
    { spend_limit_micros: 1 },
    { ...active, spend_limit_micros: null },
    /limit_micros: 1 .* null/,
  ],
  ['for one model', { model_scope: ['a'] }, { ...active, model_scope: ['a', 'b'] }, /model_scope: \["a"\]/],
])(
  'a hook that makes no key %s has made its cases not testable, and convicts nobody',
  async (_, asked, told, why) => {
    const key = { id: 'key_1', workspace_id: 'ws_1', spent_micros: 0, api_key: 'sk-tee-v1-x', ...told }
    const hooks = createHooks({ createKey: script(`console.log('${JSON.stringify(key)}')`) })
    const made = hooks('createKey', { workspace_id: 'ws_1', ...asked })
    await expect(made).rejects.toBeInstanceOf(NotTestable)
    await expect(made).rejects.toThrow(why)
  },
)

test('a hook that shows what it was asked for has done it, whatever the form of a time', async () => {
  const shown = {
    ...active,
    state: 'expired',
    expires_at: '2020-01-01T00:00:00.000+00:00',
    model_scope: ['b', 'a'],
  }
  const key = { id: 'key_1', workspace_id: 'ws_1', spent_micros: 0, api_key: 'sk-tee-v1-x', ...shown }
  const hooks = createHooks({ createKey: script(`console.log('${JSON.stringify(key)}')`) })
  const asked = { workspace_id: 'ws_1', expires_at: past, model_scope: ['a', 'b'], revoked: false }
  expect(await hooks('createKey', asked)).toMatchObject({ id: 'key_1' })
})
