import { isObject } from '#base/object.ts'
import type { ConfigProblem } from '../../config/error.ts'
import { isNamedLikeCredential } from './credential-names.ts'
import { looksLike } from './credential-values.ts'

/**
 * Places of a rendered value whose text looks like a credential, by its name or by itself: everything that is deployed is
 * published. It is a guess, so it warns; the message never holds any of the text.
 */
export function credentialWarnings(value: unknown, path: string): ConfigProblem[] {
  return textsIn(value, path, { name: undefined, isSetting: false }).flatMap(({ path: place, ...text }) => {
    const reason = reasonFor(text)
    return reason === undefined
      ? []
      : [
          {
            path: place,
            message: `looks like a credential (${reason}), and anybody can read it in the evidence`,
          },
        ]
  })
}

/** A text, and what it is called. */
interface Text {
  readonly text: string
  readonly name: string | undefined
  /** Whether it is what a program is told: its environment, its arguments, its configuration. */
  readonly isSetting: boolean
}

type Context = Pick<Text, 'name' | 'isSetting'>

const ARGUMENTS = new Set(['args', 'command'])
const FLAG = /^-{1,2}([\w.-]+)=(.*)$/s
/** A line of a configuration file: `name: value`, `name = "value"`. */
const LINE = /^[\s{,]*["']?([\w.-]{1,128})["']?\s*[:=]\s*(\S.*)$/

function textsIn(value: unknown, path: string, context: Context): (Text & { readonly path: string })[] {
  if (typeof value === 'string') return [{ path, text: value, ...context }]
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => textsIn(item, `${path}[${index}]`, context))
  }
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) =>
    textsIn(item, `${path}.${key}`, contextOf(value, key, context)),
  )
}

function contextOf(parent: Readonly<Record<string, unknown>>, key: string, context: Context): Context {
  if (ARGUMENTS.has(key)) return { name: undefined, isSetting: true }
  if (key === 'data' && parent.kind === 'ConfigMap') return { name: undefined, isSetting: true }
  // An entry of an environment: `{ name, value }`.
  if (key === 'value' && typeof parent.name === 'string') return { name: parent.name, isSetting: true }
  return context.isSetting ? { name: key, isSetting: true } : context
}

function reasonFor({ text, name, isSetting }: Text): string | undefined {
  const [, flag, given] = FLAG.exec(text) ?? []
  if (isSetting && flag !== undefined) return reasonFor({ text: given!, name: flag, isSetting })
  const shape = looksLike(text, isSetting)
  if (shape !== undefined) return shape
  if (!isSetting) return undefined
  if (name !== undefined && isNamedLikeCredential(name, text)) return 'its name'
  return text.split('\n').some(isCredentialLine) ? 'the name in one of its lines' : undefined
}

function isCredentialLine(line: string): boolean {
  const [, name, value] = LINE.exec(line) ?? []
  return name !== undefined && isNamedLikeCredential(name, value!)
}
