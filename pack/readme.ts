import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { MeasuredImport } from './recipe.ts'

/** What a bundler makes of one import of an installed library, minified and compressed by gzip, in bytes. */
export async function measure(folder: string, { names, module }: MeasuredImport): Promise<number> {
  const somewhere = mkdtempSync(join(tmpdir(), 'measure-'))
  try {
    // Bundlers treat what is installed in a way of its own.
    const installed = join(somewhere, 'node_modules', 'measured')
    for (const file of [module, 'package.json']) cpSync(join(folder, file), join(installed, file))
    const { outputFiles } = await build({
      stdin: {
        contents: `export ${names} from './node_modules/measured/${module}'`,
        resolveDir: somewhere,
      },
      ...{ bundle: true, minify: true, write: false, format: 'esm', logLevel: 'warning' },
    })
    return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
  } finally {
    rmSync(somewhere, { recursive: true })
  }
}

/** As the page says it. */
export function sizeInWords(bytes: number): string {
  return `${(bytes / 1_024).toFixed(1)} KiB`
}

/** Writes a package's page, with what its imports weigh in the place of `{{name}}`: nobody has typed a size. */
export async function writeReadme(
  home: string,
  folder: string,
  imports: Readonly<Record<string, MeasuredImport>> = {},
): Promise<void> {
  let text = readFileSync(join(home, 'README.md'), 'utf8')
  for (const [name, measured] of Object.entries(imports))
    text = text.replace(`{{${name}}}`, sizeInWords(await measure(folder, measured)))
  writeFileSync(join(folder, 'README.md'), text)
}
