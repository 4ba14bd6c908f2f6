import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import formats from 'ajv-formats'
import { build, type Plugin } from 'esbuild'
import { judged } from './judged.ts'
import { type ContractSchemas, mapValues, type Schema } from './schemas.ts'
import { MODULE_HEADER } from './text.ts'

/** Writes the validators as plain modules; what only the conformance suite needs has one of its own. */
export async function writeValidators(folder: string, schemas: ContractSchemas): Promise<void> {
  await writeModule(folder, 'validators', schemas, schemas['x-validators'])
  await writeModule(folder, 'suite-validators', schemas, schemas['x-suite-validators'])
}

/** Documents that people write report every mistake; what comes over the network is refused at the first. */
async function writeModule(
  folder: string,
  module: string,
  schemas: ContractSchemas,
  names: readonly string[],
): Promise<void> {
  const documents = names.filter((name) => schemas.$defs[name]?.additionalProperties === false)
  const messages = names.filter((name) => !documents.includes(name))
  const files = new Map([
    ['documents', validatorCode(schemas, documents, { allErrors: true })],
    ['messages', validatorCode(schemas, messages, { allErrors: false })],
  ])
  await writeFile(join(folder, `${module}.js`), MODULE_HEADER + (await bundled(files, names)))
  await writeFile(join(folder, `${module}.d.ts`), MODULE_HEADER + declarations(names))
}

/** The name of a model's validator. */
function validatorName(model: string): string {
  return model.charAt(0).toLowerCase() + model.slice(1)
}

function validatorCode(
  schemas: ContractSchemas,
  names: readonly string[],
  { allErrors }: { allErrors: boolean },
): string {
  const ajv = new Ajv2020({ allErrors, strict: false, code: { source: true, esm: true } })
  formats.default(ajv, ['date-time'])
  const $defs = mapValues(schemas.$defs, (schema: Schema) => judged(schema, schemas.$defs))
  ajv.addSchema({ $id: 'contract', $defs })
  const exported = Object.fromEntries(names.map((name) => [validatorName(name), `contract#/$defs/${name}`]))
  return standalone.default(ajv, exported)
}

/** One module without imports: the validators' own code needs a few of the schema library's helpers. */
async function bundled(files: ReadonlyMap<string, string>, names: readonly string[]): Promise<string> {
  const list = [...names].map(validatorName).sort().join(', ')
  const contents = `import * as documents from 'part:documents'
import * as messages from 'part:messages'
const { ${list} } = { ...documents, ...messages }
export const validators = { ${list} }`
  const result = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['main'],
    target: 'es2022',
    minify: true,
    lineLimit: 110,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'silent',
    plugins: [partsFrom(files)],
  })
  return result.outputFiles[0]!.text
}

/** Serves generated sources to the bundler as if they were files. */
function partsFrom(files: ReadonlyMap<string, string>): Plugin {
  const resolveDir = import.meta.dirname
  return {
    name: 'parts',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^part:/ }, ({ path }) => ({ path: path.slice('part:'.length), namespace: 'part' }))
      onLoad({ filter: /.*/, namespace: 'part' }, ({ path }) => ({ contents: files.get(path)!, resolveDir }))
    },
  }
}

function declarations(names: readonly string[]): string {
  const lines = names.map(
    (name) => `  readonly ${validatorName(name)}: Validator<components['schemas']['${name}']>`,
  )
  return `import type { components } from './types.ts'

/** One mistake in a value, and where it is. */
export interface ValidationError {
  /** Path of the value at fault: \`/stop/2\`; empty for the whole. */
  readonly instancePath: string
  readonly schemaPath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
}

/** Says whether a value is of a model; \`errors\` is about the last value it judged. */
export interface Validator<T = unknown> {
  (value: unknown): value is T
  errors?: readonly ValidationError[] | null
}

/** The validators of the contract. */
export declare const validators: {
${lines.join('\n')}
}
`
}
