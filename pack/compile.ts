import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import ts from 'typescript'
import { ROOT } from './recipe.ts'

/** What `#…` means in a package whose files lie as they lie here. */
export const compiledImports = {
  '#contract/validators/*': './generated/validators/*.js',
  '#contract/*': './generated/*.js',
  '#attestation': './attestation/index.js',
  '#base/*.ts': './base/*.js',
  '#egress/*.ts': './egress/*.js',
}

/**
 * Writes a program as JavaScript, a file for each of its files and in the same folders: whatever the entries reach.
 * Gives the names of the foreign packages that they ask for.
 */
export async function compileProgram(entries: readonly string[], folder: string): Promise<readonly string[]> {
  const { files, packages } = await reach(entries)
  for (const file of files) {
    const out = join(folder, file)
    mkdirSync(dirname(out), { recursive: true })
    if (file.endsWith('.ts')) writeFileSync(out.replace(/ts$/, 'js'), compile(join(ROOT, file)))
    // Of the manifest a program reads its name and version, which those of the package are.
    else if (file !== 'package.json') cpSync(join(ROOT, file), out)
  }
  return packages
}

/** What entries import, and what that imports. */
async function reach(entries: readonly string[]) {
  const { metafile } = await build({
    ...{ entryPoints: entries.map((entry) => join(ROOT, entry)), absWorkingDir: ROOT, outdir: 'dist' },
    ...{ bundle: true, splitting: true, write: false, metafile: true, logLevel: 'warning' },
    ...{ platform: 'node', format: 'esm', packages: 'external' },
  })
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) => imports)
  const foreign = imported.filter(({ path, external }) => external && !path.startsWith('node:'))
  const packages = foreign.map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)![0])
  return { files: Object.keys(metafile.inputs), packages: [...new Set(packages)] }
}

/** Takes the types out; lines stay, so that a stack names them rightly. */
function compile(file: string): string {
  const source = ts.sys.readFile(file) ?? ''
  const { outputText } = ts.transpileModule(source, {
    fileName: file,
    compilerOptions: {
      ...{ target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext },
      ...{ verbatimModuleSyntax: true, rewriteRelativeImportExtensions: true },
    },
  })
  // The compiler renames imports alone; a thread is started by the address of its file.
  return outputText.replace(
    /new URL\('(\.[^']+)\.ts', import\.meta\.url\)/g,
    "new URL('$1.js', import.meta.url)",
  )
}
