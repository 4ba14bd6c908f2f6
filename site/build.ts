import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import Eleventy from '@11ty/eleventy'
import { build as bundle } from 'esbuild'
import { layOut } from './layout.ts'
import { createMarkdown } from './markdown/markdown.ts'
import type { Page } from './page.ts'
import { listPages, namesOf, placesOf } from './pages/all.ts'
import { list, PROJECT } from './project.ts'
import { type Entry, entriesOf } from './search-data.ts'

/** What every site has, and other folders have not. */
const MARK = 'search-data.js'

/**
 * Builds the site into a folder, in the place of one that was built there, and tells how many pages it has. The same
 * sources give the same bytes. Throws where the folder holds anything else.
 */
export async function buildSite(into: string): Promise<number> {
  const folder = resolve(into)
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, MARK)))
    throw new Error(`${folder} holds something that is no site.`)
  empty(folder)
  const pages = listPages()
  const entries = await renderPages(pages, folder)
  writeFileSync(join(folder, MARK), `globalThis.searchData = ${JSON.stringify(entries)}\n`)
  await bundleScripts(folder)
  for (const name of ['style.css', 'icon.svg']) cpSync(join(import.meta.dirname, name), join(folder, name))
  // The pictures that `npm run bench` draws.
  cpSync(join(PROJECT, 'docs/performance'), join(folder, 'performance'), { recursive: true })
  cpSync(join(PROJECT, 'generated/openapi.yaml'), join(folder, 'openapi.yaml'))
  cpSync(join(PROJECT, 'generated/console/openapi.yaml'), join(folder, 'console-openapi.yaml'))
  mkdirSync(join(folder, 'schemas'))
  for (const path of list('generated/schemas/*.json'))
    cpSync(join(PROJECT, path), join(folder, 'schemas', path.slice('generated/schemas/'.length)))
  return pages.length
}

/** Leaves the mark alone: a build that breaks off, now or later, leaves a folder that the next one takes. */
function empty(folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, MARK), '')
  for (const name of readdirSync(folder)) {
    if (name !== MARK) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** Has Eleventy render and write the pages, which are handed to it from memory; returns what can be found of them. */
async function renderPages(pages: readonly Page[], folder: string): Promise<readonly Entry[]> {
  const byFile = new Map(pages.map((page) => [join(folder, page.address), page]))
  const found = new Map<string, readonly Entry[]>()
  // Eleventy wants a folder to look into, and finds nothing in this one but what it is handed.
  const input = relative(process.cwd(), join(import.meta.dirname, 'pages'))
  const eleventy = new Eleventy(input, relative(process.cwd(), folder), {
    quietMode: true,
    config(config) {
      config.setUseGitIgnore(false)
      config.setTemplateFormats('md')
      config.setLibrary('md', createMarkdown(placesOf(pages), namesOf()))
      for (const page of pages) {
        const name = `${page.address}.md`
        config.addTemplate(name, page.markdown, {
          permalink: page.address,
          // Markdown alone: what looks like a template in it is an example.
          templateEngineOverride: 'md',
          site: page,
        })
      }
      config.addTransform('layout', function (content) {
        const page = byFile.get(resolve(this.page.outputPath))!
        found.set(page.address, entriesOf(page, content))
        return layOut(page, content, pages)
      })
    },
  })
  eleventy.disableLogger()
  await eleventy.write()
  return pages.flatMap(({ address }) => found.get(address)!)
}

async function bundleScripts(folder: string): Promise<void> {
  await bundle({
    entryPoints: ['search', 'try'].map((name) => join(import.meta.dirname, 'browser', `${name}.ts`)),
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    legalComments: 'eof',
    logLevel: 'warning',
  })
}
