import { once } from 'node:events'
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openBrowser } from '../../console/testing/browser.ts'
import { startTestGateway, type TestGateway } from '../../tests/gateway.ts'
import { demoModel, type Service, startService } from '../../tests/service.ts'
import { measure, sizeInWords } from '../readme.ts'
import { ROOT } from '../recipe.ts'
import { type EmptyFolder, installAlone, nodesFrom20 } from '../testing/empty.ts'

const NAME = '@confidential-inference-router/client'
const PROGRAM = join(import.meta.dirname, 'testing', 'visit.js')

let empty: EmptyFolder
let gateway: TestGateway
let service: Service
let site: { readonly origin: string; close(): void }
let apiKey: string

beforeAll(async () => {
  empty = await installAlone('client')
  cpSync(PROGRAM, join(empty.path, 'visit.js'))
  site = await serve(empty.path)
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
  const files = readdirSync(join(empty.path, 'node_modules', NAME), { recursive: true }).map(String)
  expect(files.filter((file) => /(?<!\.d)\.ts$/.test(file))).toEqual([])
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
  const options = {
    ...{ module: resolution === 'bundler' ? 'esnext' : 'nodenext', moduleResolution: resolution },
    ...{
      target: 'es2022',
      lib: ['es2022', 'dom'],
      types: [],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
    },
  }
  empty.write('tsconfig.json', JSON.stringify({ compilerOptions: options, files: ['consumer.mts'] }))
  cpSync(join(import.meta.dirname, 'testing', 'consumer.mts'), join(empty.path, 'consumer.mts'))
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  expect(await empty.run(process.execPath, [compiler, '-p', '.'])).toMatchObject({ code: 0, stdout: '' })
})

test('its page tells what a bundler makes of it', async () => {
  const folder = join(empty.path, 'node_modules', NAME)
  const [all, stream] = [await measure(folder, '*'), await measure(folder, '{ streamChat }')]
  console.log(`client: ${sizeInWords(stream)} for streamChat alone, ${sizeInWords(all)} in all`)
  const page = readFileSync(join(folder, 'README.md'), 'utf8')
  expect(page).toContain(`${sizeInWords(stream)} of it, and everything is ${sizeInWords(all)}`)
  expect(stream).toBeLessThan(all)
})

/** The folder as a site, with a page that takes the client as any page does. */
async function serve(folder: string) {
  const imports = { [NAME]: `/node_modules/${NAME}/index.js` }
  const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">globalThis.page = await import('./visit.js')</script>`
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    if (path === '/page.html') return response.setHeader('content-type', 'text/html').end(page)
    if (!path.endsWith('.js')) return response.writeHead(404).end()
    return response.setHeader('content-type', 'text/javascript').end(readFileSync(join(folder, path)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}
