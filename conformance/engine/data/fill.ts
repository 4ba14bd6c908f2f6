import type { Context } from '../context.ts'
import type { EndpointName, FixtureKey, ModelName } from '../target.ts'

const PLACE = /\{\{(nonce|prompt|model|key|cors|endpoint)(?:\.(\w+))?\}\}/g

/** A copy with every `{{…}}` in its texts filled in, at any depth. */
export async function fill<T>(value: T, context: Context): Promise<T> {
  if (typeof value === 'string') return (await fillText(value, context)) as T
  if (Array.isArray(value)) return (await Promise.all(value.map((one) => fill(one, context)))) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(async ([name, one]) => [name, await fill(one, context)] as const)
  return Object.fromEntries(await Promise.all(entries)) as T
}

/** The names of keys and models that a scenario's texts ask for. */
export function placesIn(value: unknown): readonly { readonly kind: string; readonly name: string }[] {
  return [...JSON.stringify(value).matchAll(PLACE)].flatMap(([, kind = '', name]) =>
    name ? [{ kind, name }] : [],
  )
}

async function fillText(text: string, context: Context): Promise<string> {
  const places = [...text.matchAll(PLACE)]
  const values = await Promise.all(places.map(([, kind = '', name]) => valueFor(kind, name, context)))
  let next = 0
  return text.replace(PLACE, () => values[next++] ?? '')
}

async function valueFor(kind: string, name: string | undefined, context: Context): Promise<string> {
  switch (kind) {
    case 'nonce':
      return context.nonce
    case 'prompt':
      return context.prompt
    case 'cors':
      return context.target.corsOrigin ?? ''
    case 'endpoint':
      return context.target.endpoints[name as EndpointName] ?? ''
    case 'model':
      return context.model(name as ModelName | undefined)
    default:
      return name === undefined ? (await context.own()).key : (await context.fixture(name as FixtureKey)).key
  }
}
