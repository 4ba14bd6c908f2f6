import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isAlias, isPair, isScalar, isSeq, LineCounter, type Node, parse, parseDocument, visit } from 'yaml'
import { ConfigError, type ConfigProblem } from './error.ts'

/** A generated validator: true, or false with its `errors` (ajv). */
export interface Validator {
  (value: unknown): boolean
  errors?: readonly ValidatorError[] | null
}

/** What a generated validator says about one mistake. */
export interface ValidatorError {
  readonly instancePath: string
  readonly keyword: string
  readonly message?: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** Where `${VAR}` looks; `process.env` in production. */
export type Environment = Readonly<Record<string, string | undefined>>

/** What a schema cannot say of a file: references, uniqueness, sums. It may take for granted that the schema holds. */
export type Contradictions<File> = (file: File) => readonly ConfigProblem[]

/**
 * Reads a YAML file, replaces `${VAR}`, `${VAR:-default}` and `${file:PATH}`, and checks it against its schema.
 * Throws `ConfigError` with every mistake found.
 */
export function loadConfig<File>(
  file: string,
  validate: Validator,
  environment: Environment,
  contradictions: Contradictions<File> = () => [],
): File {
  const { value, problems } = readYaml(file, environment)
  if (problems.length > 0) throw new ConfigError(file, problems)
  const mistakes = validate(value) ? [] : (validate.errors ?? []).map(describe)
  const found = [...mistakes, ...attempt(contradictions, value as File, mistakes.length > 0)]
  if (found.length > 0) throw new ConfigError(file, found)
  return value as File
}

/** A file that breaks its schema is looked through as far as its shape allows, so that nothing is told in two goes. */
function attempt<File>(
  contradictions: Contradictions<File>,
  value: File,
  isBroken: boolean,
): readonly ConfigProblem[] {
  try {
    return contradictions(value)
  } catch (error) {
    if (isBroken) return []
    throw error
  }
}

function readYaml(file: string, environment: Environment): { value: unknown; problems: ConfigProblem[] } {
  const lines = new LineCounter()
  const problems: ConfigProblem[] = []
  const document = parseDocument(readText(file), {
    lineCounter: lines,
    uniqueKeys: true,
    prettyErrors: false,
  })
  const report = (offset: number, message: string) =>
    problems.push({ path: `line ${lines.linePos(offset).line}`, message })

  for (const error of document.errors) report(error.pos[0], error.message.split('\n', 1)[0] ?? error.code)
  visit(document, {
    Node: (_, node, ancestors) => {
      if (isAlias(node)) report(offsetOf(node), 'aliases are not supported')
      else if (isScalar(node) && typeof node.value === 'string') {
        const expanded = expand(node.value, dirname(file), environment, (message) => {
          const { line } = lines.linePos(offsetOf(node))
          problems.push({ path: settingOf([...ancestors, node]), message: `${message} (line ${line})` })
        })
        if (expanded !== node.value) node.value = node.type === 'PLAIN' ? asPlainScalar(expanded) : expanded
      }
    },
  })
  return { value: problems.length > 0 ? undefined : document.toJS(), problems }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ConfigError(file, [{ path: 'file', message: `cannot be read (${(cause as Error).message})` }])
  }
}

/** The path of the last of these, each of which holds the next. */
function settingOf(ancestors: readonly unknown[]): string {
  const parts = ancestors.flatMap((node, depth) => {
    if (isPair(node)) return [String(isScalar(node.key) ? node.key.value : node.key)]
    return isSeq(node) ? [String(node.items.indexOf(ancestors[depth + 1]))] : []
  })
  return join(parts)
}

function offsetOf(node: Node): number {
  return node.range?.[0] ?? 0
}

const VARIABLE = /\$\{(?:file:([^}]+)|([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?)\}/g

function expand(text: string, folder: string, environment: Environment, report: (m: string) => void): string {
  return text.replace(VARIABLE, (_, path: string | undefined, name: string, fallback: string | undefined) => {
    if (path !== undefined) return readSecret(resolve(folder, path), report)
    const value = environment[name] || fallback
    if (value === undefined) report(`the environment variable ${name} is not set`)
    return value ?? ''
  })
}

function readSecret(path: string, report: (message: string) => void): string {
  try {
    return readFileSync(path, 'utf8').trimEnd()
  } catch (cause) {
    report(`a file cannot be read: ${(cause as Error).message}`)
    return ''
  }
}

/** What a number or a boolean can be spelled with, and no sign of YAML's. */
const PLAIN = /^[-+.\w]+$/

/**
 * `port: ${PORT}` is a number when PORT holds one, as it would be if written out. Whatever else stands there is text: a
 * parser would fail on a secret that begins with one of its signs, and its message would quote it.
 */
function asPlainScalar(text: string): unknown {
  const value: unknown = PLAIN.test(text) ? parse(text) : text
  return typeof value === 'number' || typeof value === 'boolean' ? value : text
}

function describe({ instancePath, keyword, message, params }: ValidatorError): ConfigProblem {
  const path = instancePath.slice(1).split('/').filter(Boolean).map(unescapePointer)
  const named = params?.additionalProperty ?? params?.unevaluatedProperty
  if (named !== undefined) return { path: join([...path, String(named)]), message: 'is not a known key' }
  if (keyword === 'required') {
    return { path: join([...path, String(params?.missingProperty)]), message: 'is missing' }
  }
  if (keyword === 'minItems' && params?.limit === 1) return { path: join(path), message: 'must not be empty' }
  const allowed = Array.isArray(params?.allowedValues) ? `: ${params.allowedValues.join(', ')}` : ''
  return { path: join(path), message: `${message ?? 'is not valid'}${allowed}` }
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function join(parts: readonly string[]): string {
  const path = parts.map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`)).join('')
  return path.replace(/^\./, '') || 'the file'
}
