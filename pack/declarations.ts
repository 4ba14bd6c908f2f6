import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from './recipe.ts'

/** Beside the JavaScript of a library, in folders as they are here. */
const TYPES = 'types'

/** What `#contract/…` means within the declarations, as the manifest of a library says it. */
export const declaredImports = { '#contract/*': { types: `./${TYPES}/generated/*.d.ts` } }

/** Where a package's own types begin, for its `exports`. */
export function typesOf(entry: string): string {
  return `./${TYPES}/${entry.replace(/\.ts$/, '.d.ts')}`
}

/** Writes the declarations of a file and of whatever its signatures name. Types are checked elsewhere. */
export function writeDeclarations(entry: string, folder: string): void {
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file))
  const { options } = ts.parseJsonConfigFileContent({ ...config.config, files: [entry] }, ts.sys, ROOT)
  const program = ts.createProgram([join(ROOT, entry)], {
    ...options,
    ...{ noEmit: false, incremental: false, declaration: true, emitDeclarationOnly: true, noCheck: true },
    ...{ rewriteRelativeImportExtensions: true, rootDir: ROOT, outDir: join(folder, TYPES) },
  })
  delete program.getCompilerOptions().tsBuildInfoFile
  const { emitSkipped, diagnostics } = program.emit(undefined, (file, text) =>
    ts.sys.writeFile(file, renamed(text)),
  )
  const [mistake] = diagnostics
  if (emitSkipped || mistake !== undefined)
    throw new Error(
      `${entry}: ${ts.flattenDiagnosticMessageText(mistake?.messageText ?? 'nothing was written', '\n')}`,
    )
}

/** The compiler leaves the names of files in declarations as they are in the source. */
function renamed(text: string): string {
  return text.replace(/(from |import\()'(\.[^']+)\.ts'/g, "$1'$2.js'")
}
