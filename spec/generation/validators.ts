import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { _, Ajv } from 'ajv'
import standalone from 'ajv/dist/standalone/index.js'
import { build, type Plugin } from 'esbuild'
import { formats } from './formats.ts'
import { judged } from './judged.ts'
import { type ContractSchemas, mapValues, type Schema } from './schemas.ts'
import { MODULE_HEADER } from './text.ts'

/** What a verdict depends on is written to be read; the others save lines. */
const AUDITED = ['EvidenceBundle', 'EvidencePayload']

/** Writes a module for each validator, so that a program loads those that it uses and no other. */
export async function writeValidators(folder: string, schemas: ContractSchemas): Promise<void> {
  await mkdir(join(folder, 'validators'))
  await writeFile(join(folder, 'validator.ts'), MODULE_HEADER + VALIDATOR)
  const compile = { documents: compiler(schemas, true), messages: compiler(schemas, false) }
  for (const name of schemas['x-validators']) {
    // Documents that people write report every mistake; what comes over the network is refused at the first.
    const isDocument = schemas.$defs[name]?.additionalProperties === false
    const code = compile[isDocument ? 'documents' : 'messages'](name)
    const file = join(folder, 'validators', moduleName(name))
    await writeFile(`${file}.js`, MODULE_HEADER + (await bundled(code, !AUDITED.includes(name))))
  }
  const declared = schemas['x-validators'].map(declaration).join('')
  await writeFile(join(folder, 'validators.d.ts'), MODULE_HEADER + declared)
}

/** `EvidenceBundle` is judged by `evidence-bundle`. */
function moduleName(model: string): string {
  return model.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}

/** Where compiled code finds its formats; what a module does not need, the bundler leaves out. */
const FORMATS = `import { formats } from './formats.ts'\n`

function compiler(schemas: ContractSchemas, allErrors: boolean): (name: string) => string {
  const ajv = new Ajv({
    allErrors,
    strict: false,
    inlineRefs: false,
    code: { source: true, esm: true, lines: true, formats: _`formats` },
  })
  for (const [name, judge] of Object.entries(formats)) ajv.addFormat(name, judge)
  const $defs = mapValues(schemas.$defs, (schema: Schema) => judged(schema, schemas.$defs))
  ajv.addSchema({ $id: 'contract', $defs })
  return (name) => FORMATS + standalone.default(ajv, { [`is${name}`]: `contract#/$defs/${name}` })
}

/** One module without imports: the validator's own code needs a few of the schema library's helpers. */
async function bundled(code: string, isCompact: boolean): Promise<string> {
  const result = await build({
    stdin: { contents: "export * from 'part:code'", resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['main'],
    target: 'es2022',
    minify: isCompact,
    ...(isCompact && { lineLimit: 110 }),
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'silent',
    plugins: [served(code)],
  })
  return result.outputFiles[0]!.text
}

/** Serves generated code to the bundler as if it were a file. */
function served(contents: string): Plugin {
  const resolveDir = import.meta.dirname
  return {
    name: 'served',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^part:/ }, ({ path }) => ({ path, namespace: 'part' }))
      onLoad({ filter: /.*/, namespace: 'part' }, () => ({ contents, resolveDir }))
    },
  }
}

const VALIDATOR = `/** One mistake in a value, and where it is. */
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
`

function declaration(name: string): string {
  const type = `import('#contract/validator').Validator<import('#contract/models').${name}>`
  return `declare module '#contract/validators/${moduleName(name)}' {
  const is${name}: ${type}
}
`
}
