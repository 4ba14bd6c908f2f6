import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix, relative } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ErrorCode, errors } from '#contract/errors'
import { type ReasonEntry, reasons } from '#contract/reasons'
import { rules } from '#contract/rules'
import { pageOf } from '../conformance/report/explained.ts'
import { seeOf } from '../proxy/commands/words.ts'
import type { Refused } from '../server/errors.ts'
import { createHelp } from '../server/help.ts'
import { blocksOf } from '../tests/guides/page.ts'
import { buildSite } from './build.ts'
import { list, read } from './project.ts'

let folder: string
/** Every file of the site by its address. */
let files: ReadonlyMap<string, string>

// A few seconds of work, on a machine that others use as well.
const PATIENCE_MS = 600_000

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'site-'))
  await buildSite(join(folder, 'one'))
  files = readFiles(join(folder, 'one'))
}, PATIENCE_MS)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a folder that holds something else is left as it is', async () => {
  const other = join(folder, 'other')
  mkdirSync(other)
  writeFileSync(join(other, 'letter.txt'), 'Dear Ada')
  await expect(buildSite(other)).rejects.toThrow('holds something that is no site')
  expect([...readFiles(other)]).toEqual([['letter.txt', 'Dear Ada']])
})

test(
  'a build that was interrupted leaves a folder that the next one takes',
  async () => {
    const broken = join(folder, 'broken')
    const hasPage = () => existsSync(broken) && readdirSync(broken).some((name) => name !== 'search-data.js')
    const build = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), '--into', broken], {
      stdio: 'ignore',
    })
    const ended = once(build, 'exit')
    await vi.waitFor(() => expect(hasPage()).toBe(true), { timeout: PATIENCE_MS, interval: 1 })
    build.kill('SIGKILL')
    await ended
    await buildSite(broken)
    expect([...readFiles(broken).keys()]).toEqual([...files.keys()])
  },
  PATIENCE_MS,
)

function readFiles(root: string): ReadonlyMap<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const paths = entries.map((entry) => relative(root, join(entry.parentPath, entry.name))).sort()
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

/** The values of an attribute in the tags of a page. */
function valuesOf(html: string, attribute: string): readonly string[] {
  const tags = html.match(/<[a-z][^>]*>/g) ?? []
  return tags.flatMap((tag) =>
    [...tag.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value),
  )
}

function pages(): readonly (readonly [address: string, html: string])[] {
  return [...files].filter(([address]) => address.endsWith('.html'))
}

/** Where a link within the site leads. */
function follow(
  from: string,
  link: string,
): { readonly address: string; readonly anchor: string | undefined } {
  const [path = '', anchor] = link.split('#')
  return { address: path === '' ? from : posix.join(posix.dirname(from), path), anchor }
}

test('every link and every anchor of the site is there', () => {
  const anchors = new Map(pages().map(([address, html]) => [address, new Set(valuesOf(html, 'id'))]))
  const dead = pages().flatMap(([from, html]) =>
    [...valuesOf(html, 'href'), ...valuesOf(html, 'src')]
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const { address, anchor } = follow(from, link)
        if (!files.has(address)) return true
        return anchor !== undefined && !anchors.get(address)?.has(anchor)
      })
      .map((link) => `${from}: ${link}`),
  )
  expect(dead).toEqual([])
  expect(anchors.size).toBeGreaterThan(Object.keys(rules).length)
})

test('every rule, reason and error has a page of its own, which says it', () => {
  const texts = JSON.parse(read('generated/rules.json')) as { rules: readonly { id: string; text: string }[] }
  expect(texts.rules.map(({ id }) => id).toSorted()).toEqual(Object.keys(rules).toSorted())
  const wanted = [
    ...texts.rules.map(({ id }) => [`rules/${id}.html`, id] as const),
    ...Object.keys(errors).map((code) => [`errors/${code}.html`, code] as const),
    ...Object.entries(reasons).flatMap(([stage, entries]) =>
      Object.keys(entries).map((name) => [`reasons/${stage}/${name}.html`, `${stage} / ${name}`] as const),
    ),
  ]
  const without = wanted.filter(
    ([address, name]) => !new RegExp(`<h1[^>]*>${name}</h1>\\s*<blockquote>`).test(files.get(address) ?? ''),
  )
  expect(without).toEqual([])
})

test('every operation of both APIs has a page; a form has those alone that a page of another origin can call', () => {
  const missing = [
    ['generated/openapi.yaml', 'api'],
    ['generated/console/openapi.yaml', 'console-api'],
  ].flatMap(([file, where]) =>
    [...read(file!).matchAll(/operationId: (\w+)/g)]
      .map(([, id]) => `${where}/${id}.html`)
      .filter((address) => !files.has(address)),
  )
  expect(missing).toEqual([])
  const withForm = pages().flatMap(([address, html]) => (html.includes('class="try"') ? [address] : []))
  expect(withForm).toContain('api/createChatCompletion.html')
  expect(withForm.filter((address) => !address.startsWith('api/'))).toEqual([])
  for (const name of ['openapi.yaml', 'console-openapi.yaml'])
    expect(files.get(name)).toContain('openapi: 3.1')
})

test('what the router says of an error leads to the page of its code and of its reason', () => {
  const help = createHelp(() => 'https://docs.example')
  const verdicts = Object.entries(reasons).flatMap(([stage, entries]) =>
    Object.keys(entries).map((reason) => ({ stage: `upstream-${stage}`, reason }) as Refused),
  )
  const links = [
    ...Object.keys(errors).map((code) => help({ code: code as ErrorCode, verdict: undefined })),
    ...verdicts.map((verdict) => help({ code: 'attestation_failed', verdict })),
  ].flatMap(({ Link = '' }) => [...Link.matchAll(/<https:\/\/docs\.example\/([^>]+)>; rel="help"/g)])
  expect(links).toHaveLength(Object.keys(errors).length + 2 * verdicts.length)
  expect(links.filter(([, address = '']) => !files.has(address))).toEqual([])
})

test('what the proxy says about a reason leads to its page', () => {
  const entries = Object.values(reasons).flatMap((stage) => Object.values<ReasonEntry>(stage))
  const led = entries.map((entry) => seeOf(entry, 'https://docs.example'))
  expect(led.filter((address) => !files.has(address.slice('https://docs.example/'.length)))).toEqual([])
  expect(led.length).toBeGreaterThan(60)
})

test('what the suite says about a rule leads to its page', () => {
  const led = Object.keys(rules).map((id) => pageOf(id, 'https://docs.example')!)
  expect(led.filter((address) => !files.has(address.slice('https://docs.example/'.length)))).toEqual([])
})

test('nothing of the site is loaded from another host, and no page has a script or a style of its own', () => {
  const loaded = pages().flatMap(([address, html]) => {
    const tags = html.match(/<(?:script|link|img|iframe|image|use|source|object|embed|form)\b[^>]*>/g) ?? []
    const foreign = tags.filter((tag) => /(?:src|href|srcset|action|data)="(?:[a-z]+:|\/)/.test(tag))
    const inline = html.match(/<script(?![^>]* src=)[^>]*>|<style\b| style="| on[a-z]+="/g) ?? []
    return [...foreign, ...inline].map((what) => `${address}: ${what}`)
  })
  expect(loaded).toEqual([])
  const styles = files.get('style.css') ?? ''
  expect(styles).not.toMatch(/@import|url\(|https?:/)
  const scripts = ['search.js', 'try.js'].map((name) => files.get(name) ?? '').join('')
  // MiniSearch names its paper and its manual in a comment; no address stands where a program could use it.
  expect(scripts.replace(/\/\*[\s\S]*?\*\//g, '')).not.toMatch(/["'`]https?:\/\//)
  for (const [address, html] of pages())
    expect(html, address).toContain(
      `http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'`,
    )
})

test('every block of commands of the site stands in a document of the project', () => {
  const known = new Set(
    [
      'README.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      ...list('docs/*.md'),
      ...list('*/**/*.md'),
    ].flatMap((file) => blocksOf(read(file)).map(({ text }) => text)),
  )
  const blocks = pages().flatMap(([address, html]) =>
    [...html.matchAll(/<pre tabindex="0"><code(?: class="language-\w+")?>([\s\S]*?)<\/code>/g)].map(
      ([, text = '']) => ({
        address,
        text: textOfHtml(text),
      }),
    ),
  )
  expect(blocks.length).toBeGreaterThan(100)
  expect(blocks.filter(({ text }) => !known.has(text))).toEqual([])
})

function textOfHtml(html: string): string {
  return html
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
}

test('every page can be found by the search', () => {
  const data = files.get('search-data.js') ?? ''
  const entries = JSON.parse(data.slice(data.indexOf('['))) as readonly { address: string }[]
  const found = new Set(entries.map(({ address }) => address.split('#')[0]))
  expect(pages().filter(([address]) => !found.has(address))).toEqual([])
  expect(new Set(entries.map(({ address }) => address)).size).toBe(entries.length)
})

test(
  'the same sources give the same bytes',
  async () => {
    await buildSite(join(folder, 'two'))
    const again = readFiles(join(folder, 'two'))
    expect([...again.keys()]).toEqual([...files.keys()])
    expect(
      [...files].filter(([address, text]) => again.get(address) !== text).map(([address]) => address),
    ).toEqual([])
  },
  PATIENCE_MS,
)
