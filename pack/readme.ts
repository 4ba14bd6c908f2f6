import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/**
 * What a bundler makes of one import of a library, minified and compressed by gzip, in bytes. `names` stands between
 * `export` and `from`.
 */
export async function measure(folder: string, names: string, module = 'index.js'): Promise<number> {
  const contents = `export ${names} from './${module}'`
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    ...{ bundle: true, minify: true, write: false, format: 'esm', logLevel: 'warning' },
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

/** As the page says it. */
export function sizeInWords(bytes: number): string {
  return `${(bytes / 1_024).toFixed(1)} KiB`
}

/** Writes a library's page, with what its imports weigh in the place of `{{name}}`: nobody has typed a size. */
export async function writeReadme(
  home: string,
  folder: string,
  imports: Readonly<Record<string, string>>,
  module?: string,
): Promise<void> {
  let text = readFileSync(join(home, 'README.md'), 'utf8')
  for (const [name, names] of Object.entries(imports))
    text = text.replace(`{{${name}}}`, sizeInWords(await measure(folder, names, module)))
  writeFileSync(join(folder, 'README.md'), text)
}
