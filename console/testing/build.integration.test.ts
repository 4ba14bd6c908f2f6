import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createConsolePage } from '../../server/console/page.ts'
import { buildPage } from '../build/build.ts'

/** Most that the first load may be, compressed, in bytes. */
const FIRST_LOAD = 250_000

interface Chunk {
  readonly file: string
  readonly isEntry?: boolean
  readonly imports?: readonly string[]
  readonly css?: readonly string[]
  readonly assets?: readonly string[]
}

let folder: string
let manifest: Readonly<Record<string, Chunk>>

beforeAll(async () => {
  folder = join(mkdtempSync(join(tmpdir(), 'console-build-')), 'page')
  await buildPage(folder)
  manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
})

afterAll(() => rmSync(join(folder, '..'), { recursive: true }))

/** Everything that is loaded before a chunk runs. */
function loadedBy(name: string, loaded = new Set<string>()): Set<string> {
  const { file, imports = [], css = [], assets = [] } = manifest[name]!
  if (loaded.has(file)) return loaded
  for (const one of [file, ...css, ...assets]) loaded.add(one)
  for (const one of imports) loadedBy(one, loaded)
  return loaded
}

const compressed = (files: Iterable<string>, suffix: string) =>
  [...files].reduce((sum, file) => sum + statSync(join(folder, `${file}${suffix}`)).size, 0)

test.each(['.br', '.gz'])('what is loaded before any page is shown stays small, as %s', (suffix) => {
  const [entry] = Object.entries(manifest).find(([, { isEntry }]) => isEntry)!
  const first = loadedBy(entry)
  for (const page of ['sign-in', 'overview']) {
    const all = new Set([...first, ...loadedBy(`src/pages/${page}/page.tsx`)])
    expect(compressed(all, suffix)).toBeLessThan(FIRST_LOAD)
  }
})

test('every page is loaded when it is gone to', () => {
  const [entry] = Object.entries(manifest).find(([, { isEntry }]) => isEntry)!
  const names = Object.keys(manifest).filter((name) => /^src\/pages\/[\w-]+\/page\.tsx$/.test(name))
  expect(names).toHaveLength(13)
  for (const name of names) expect(loadedBy(entry)).not.toContain(manifest[name]!.file)
})

test('the built document has the nonce of its answer wherever one belongs, and names no foreign host', async () => {
  const response = await createConsolePage(folder).request('/console/')
  const [text, policy] = [await response.text(), response.headers.get('content-security-policy') ?? '']
  const [, nonce] = /'nonce-([^']+)'/.exec(policy) ?? []
  expect(text).not.toContain('__style_nonce__')
  expect(text).toContain(`<meta property="csp-nonce" nonce="${nonce}">`)
  expect(text).not.toMatch(/<style|(?:src|href)="(?!\/console\/)/)
})

test('what has not changed is not built again; what has is', async () => {
  expect(await buildPage(folder)).toBe(false)
  writeFileSync(join(folder, 'sources.sha256'), 'of other sources\n')
  expect(await buildPage(folder)).toBe(true)
  expect(await buildPage(folder)).toBe(false)
})
