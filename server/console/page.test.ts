import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createConsolePage } from './page.ts'

const SCRIPT = 'console.log(1)'
const INDEX =
  '<meta property="csp-nonce" nonce="__style_nonce__"><script src="/console/assets/a-1.js" nonce="__style_nonce__"></script>'

let folder: string
let page: ReturnType<typeof createConsolePage>

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-page-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), INDEX)
  writeFileSync(join(folder, 'assets', 'a-1.js'), SCRIPT)
  writeFileSync(join(folder, 'assets', 'a-1.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(folder, 'assets', 'secret.txt'), 'not of a kind that a page is made of')
  writeFileSync(join(folder, 'sources.sha256'), 'not for browsers')
  page = createConsolePage(folder)
})

afterAll(() => rmSync(folder, { recursive: true }))

test('a file that is named by its content is kept for a year', async () => {
  const response = await page.request('/console/assets/a-1.js')
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await response.text()).toBe(SCRIPT)
})

test.each([
  ['gzip, br', 'gzip'],
  ['br;q=1.0, gzip;q=0', null],
  ['identity', null],
  ['', null],
])('a browser that accepts %j is answered in a coding that it reads', async (accepted, encoding) => {
  const response = await page.request('/console/assets/a-1.js', { headers: { 'accept-encoding': accepted } })
  expect(response.headers.get('content-encoding')).toBe(encoding)
  expect(response.headers.get('vary')).toBe('Accept-Encoding')
  const length = encoding === null ? SCRIPT.length : gzipSync(SCRIPT).length
  expect((await response.arrayBuffer()).byteLength).toBe(length)
})

test.each(['/console/', '/console/keys', '/console/admin/upstreams', '/console/requests?id=gen-1'])(
  '%s is a place of the page, and is answered with the page',
  async (path) => {
    const response = await page.request(path)
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('/console/assets/a-1.js')
  },
)

test('the document is asked for anew each time, and never brought back', async () => {
  const response = await page.request('/console/')
  expect(response.headers.get('cache-control')).toBe('no-cache, no-store')
})

test('nothing in line, nothing foreign and no frame around it: styles by a nonce that no two answers share', async () => {
  const [one, other] = [await page.request('/console/'), await page.request('/console/')]
  const policy = one.headers.get('content-security-policy') ?? ''
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  const [, nonce = ''] = /style-src 'self' 'nonce-([\w-]{22})'/.exec(policy) ?? []
  expect(await one.text()).toBe(INDEX.replaceAll('__style_nonce__', nonce))
  expect(other.headers.get('content-security-policy')).not.toBe(policy)
  expect(one.headers.get('referrer-policy')).toBe('no-referrer')
})

test.each([
  'assets/none.js',
  'assets/secret.txt',
  'assets/a-1.js.gz',
  'assets/..%2findex.html',
  'assets/..%2fsources.sha256',
  'assets/%2e%2e%2fsources.sha256',
  'assets/..%5csources.sha256',
  'assets/%00',
])('/console/%s is no file of the page', async (path) => {
  const response = await page.request(`http://router.example/console/${path}`)
  expect(response.status).toBe(404)
  expect(await response.text()).toBe('No such file.')
})

test.each(['/console/../sources.sha256', '/console/sources.sha256', '/console/dist/sources.sha256'])(
  '%s leads to no file beside the page',
  async (path) => {
    const response = await page.request(path)
    expect(await response.text()).not.toContain('not for browsers')
  },
)

test('an address without its last stroke leads to the page', async () => {
  const response = await page.request('/console')
  expect([response.status, response.headers.get('location')]).toEqual([308, '/console/'])
})

test('a page that is built while the router runs is there then, and until then it is said how', async () => {
  const late = join(folder, 'late')
  const page = createConsolePage(late)
  const response = await page.request('/console/')
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('npm run console:build')
  mkdirSync(late)
  writeFileSync(join(late, 'index.html'), INDEX)
  expect((await page.request('/console/')).status).toBe(200)
})
