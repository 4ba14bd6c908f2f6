import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openBrowser } from '../../console/testing/browser.ts'
import { startTestGateway, type TestGateway } from '../../tests/gateway.ts'
import { demoModel, type Service, startService } from '../../tests/service.ts'
import { measure, sizeInWords } from '../readme.ts'
import { type EmptyFolder, installAlone, nodesFrom20, typeCheck, typeScriptIn } from '../testing/empty.ts'
import { openSite, type Site } from '../testing/site.ts'
import { client } from './recipe.ts'

const NAME = '@confidential-inference-router/client'
const PROGRAM = join(import.meta.dirname, 'testing', 'visit.js')

let empty: EmptyFolder
let gateway: TestGateway
let service: Service
let site: Site
let apiKey: string

beforeAll(async () => {
  empty = await installAlone('client')
  cpSync(PROGRAM, join(empty.path, 'visit.js'))
  site = await openSite(empty.path, NAME, 'index.js', 'visit.js')
  gateway = await startTestGateway('http://127.0.0.1:1')
  service = await startService({
    corsOrigins: [site.origin],
    endpoints: [gateway.endpoint],
    models: (url) => [demoModel(url, { endpoint: gateway.endpoint })],
  })
  apiKey = (await service.createAccount(5_000_000n)).apiKey
})

afterAll(async () => {
  await service?.stop()
  await gateway?.close()
  site?.close()
  empty?.remove()
})

const seen = {
  text: expect.stringMatching(/.{10}/),
  streamedCost: expect.any(Number),
  recordedCost: expect.any(Number),
  wholeText: expect.stringMatching(/.{10}/),
  models: ['demo/tiny-chat'],
  evidenceKind: 'DeploymentEvidence',
  unknownModel: { status: 404, code: 'model_not_found', param: 'model', named: true },
  wrongKey: { status: 401, code: 'invalid_api_key', param: null, named: true },
  wrongField: { status: 400, code: 'unsupported_parameter', param: 'n', named: true },
  nobody: { status: 0, code: 'unreachable', param: null, named: false },
}

test('the package needs no other, and has no TypeScript that Node would refuse', () => {
  expect(empty.archive.dependencies).toEqual({})
  expect(typeScriptIn(empty)).toEqual([])
  expect(readdirSync(join(empty.path, 'node_modules')).filter((name) => !name.startsWith('.'))).toHaveLength(
    1,
  )
})

test.each(nodesFrom20())(
  'a streamed answer, a record, evidence and refusals by code, on %s',
  async (node) => {
    const script = `import { visit } from './visit.js'
console.log(JSON.stringify(await visit({ baseUrl: process.env.BASE_URL, apiKey: process.env.API_KEY })))`
    const ended = await empty.run(node, ['--input-type=module', '-e', script], {
      BASE_URL: service.baseUrl,
      API_KEY: apiKey,
    })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    const told = JSON.parse(ended.stdout)
    expect(told).toEqual(seen)
    expect(told.streamedCost).toBe(told.recordedCost)
  },
)

test('the same in a page', { tags: ['chromium'] }, async () => {
  const browser = await openBrowser()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(`${site.origin}/page.html`)
  await page.waitForFunction(() => 'page' in globalThis)
  const told = await page.evaluate(
    async (router) => {
      const { visit } = (globalThis as unknown as { page: { visit(router: object): Promise<unknown> } }).page
      return await visit(router)
    },
    { baseUrl: service.baseUrl, apiKey },
  )
  expect(told).toEqual(seen)
})

test.each(['nodenext', 'bundler'])('its types are found and hold, as %s resolves', async (resolution) => {
  cpSync(join(import.meta.dirname, 'testing', 'consumer.mts'), join(empty.path, 'consumer.mts'))
  expect(await typeCheck(empty, 'consumer.mts', resolution)).toMatchObject({ code: 0, stdout: '' })
})

test('its page tells what a bundler makes of it', async () => {
  const folder = join(empty.path, 'node_modules', NAME)
  const measured = Object.values(client.imports!).map((one) => measure(folder, one))
  const [all, stream] = (await Promise.all(measured)) as [number, number]
  console.log(`client: ${sizeInWords(stream)} for streamChat alone, ${sizeInWords(all)} in all`)
  const page = readFileSync(join(folder, 'README.md'), 'utf8')
  expect(page).toContain(`${sizeInWords(stream)} of it, and everything is ${sizeInWords(all)}`)
  expect(stream).toBeLessThan(all)
})
