import { isObject } from '#base/object.ts'
import type { ConfigProblem } from '../../config/error.ts'

const MESSAGE =
  'and whatever is deployed here is published to anybody: leave it out, and have workloads name it (secretKeyRef); ' +
  'or render what fetches it in its place (an ExternalSecret, a SealedSecret)'

const LIST = /List$/

/** Every Secret that a rendered value holds: by itself, as an item of a list, or with its data anywhere deeper. */
export function secretProblems(value: unknown, path: string): ConfigProblem[] {
  return secretsIn(value, path, undefined).map(({ path: place, name }) => ({
    path: place,
    message: `is the Secret ${JSON.stringify(name)}, ${MESSAGE}`,
  }))
}

interface Found {
  readonly path: string
  readonly name: string
}

/** `kindOfItems` is what an item is that does not say it, as in a `SecretList`; null where only data makes a Secret. */
function secretsIn(value: unknown, path: string, kindOfItems: string | undefined | null): Found[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => secretsIn(item, `${path}[${index}]`, kindOfItems))
  }
  if (!isObject(value)) return []
  const kind = value.kind ?? kindOfItems
  // Deeper down an object may only refer to a Secret, which says nothing of what is in it.
  if (isSecret(kind, value) && (kindOfItems !== null || 'data' in value || 'stringData' in value)) {
    return [{ path, name: nameOf(value) }]
  }
  return Object.entries(value).flatMap(([name, item]) => {
    const isList = name === 'items' && LIST.test(String(kind)) && kindOfItems !== null
    return secretsIn(item, `${path}.${name}`, isList ? String(kind).replace(LIST, '') : null)
  })
}

/** However it is spelled: a cluster would refuse it, and its data would have been published. Nothing else has `stringData`. */
function isSecret(kind: unknown, value: object): boolean {
  return 'stringData' in value || (typeof kind === 'string' && /^\s*secret\s*$/i.test(kind))
}

function nameOf({ metadata }: Readonly<Record<string, unknown>>): string {
  const { namespace, name = '' } = isObject(metadata) ? metadata : {}
  return [namespace, name].filter((part) => part !== undefined).join('/')
}
