import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js'
import ts from 'typescript'
import { parseAllDocuments } from 'yaml'

/** One object of Kubernetes, as it stands in a file. */
export interface Manifest {
  readonly file: string
  readonly value: Readonly<Record<string, unknown>> & {
    readonly apiVersion: string
    readonly kind: string
    readonly metadata: ObjectMeta
  }
}

/** Every object of a folder's files. */
export function readManifests(folder: string): readonly Manifest[] {
  return globSync('*.yaml', { cwd: folder })
    .toSorted()
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => {
        if (document.errors[0]) throw document.errors[0]
        return { file, value: document.toJS() }
      }),
    )
}

/** Where kubernetes-types has the kinds of a version of the API. */
const MODULES: Readonly<Record<string, string>> = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'networking.k8s.io/v1': 'networking/v1',
  'policy/v1': 'policy/v1',
}

/** Beside the packages, so that the compiler finds them; no such file is written. */
const NAME = join(import.meta.dirname, 'manifest-in-memory.ts')

const OPTIONS: ts.CompilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true },
  ...{ types: [], lib: ['lib.es2022.d.ts'] },
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
}

/**
 * What is wrong with objects of Kubernetes by its own API's types: a field that there is none of, one that is missing, a
 * value of another type. One line for each, with the object's name.
 */
export function mistakesOf(manifests: readonly Manifest[]): readonly string[] {
  const lines = manifests.map(({ value }, index) => {
    const module = MODULES[value.apiVersion]
    if (module === undefined) throw new Error(`Nobody here knows the API ${value.apiVersion}.`)
    const type = `import('kubernetes-types/${module}').${value.kind}`
    return `export const object${index}: ${type} = ${JSON.stringify(value)}`
  })
  const host = ts.createCompilerHost(OPTIONS)
  const { getSourceFile, fileExists, readFile } = host
  const text = lines.join('\n')
  host.fileExists = (file) => file === NAME || fileExists(file)
  host.readFile = (file) => (file === NAME ? text : readFile(file))
  host.getSourceFile = (file, ...rest) =>
    file === NAME ? ts.createSourceFile(file, text, ts.ScriptTarget.ES2022) : getSourceFile(file, ...rest)
  const program = ts.createProgram([NAME], OPTIONS, host)
  return ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
    const line = file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0
    const { kind, metadata } = manifests[line]!.value
    return `${kind} ${metadata.name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  })
}
