import {
  type Breakage,
  canonical,
  entriesOf,
  isExplanation,
  type Json,
  type JsonObject,
  type Pair,
} from './document.ts'

/** Who reads what a schema describes: the router (a request) or its callers (a response). */
export type Direction = 'request' | 'response'

/** Two schemas of the same place, and where that is. */
export interface Comparison {
  readonly place: string
  readonly before: JsonObject
  readonly after: JsonObject
  readonly direction: Direction
  readonly pair: Pair
  /** Pairs of schemas that are being compared already: schemas may refer to themselves. */
  readonly seen: ReadonlySet<string>
}

/** One way in which a schema may have changed. */
export type Check = (comparison: Comparison) => readonly Breakage[]

/** Bounds, and the side on which they lie. */
const bounds = {
  minimum: 'lower',
  exclusiveMinimum: 'lower',
  minLength: 'lower',
  minItems: 'lower',
  minProperties: 'lower',
  maximum: 'upper',
  exclusiveMaximum: 'upper',
  maxLength: 'upper',
  maxItems: 'upper',
  maxProperties: 'upper',
} as const

const understood = new Set([
  ...['type', 'enum', 'properties', 'required', 'items', 'additionalProperties', 'anyOf', '$ref'],
  ...Object.keys(bounds),
])

/** What a schema demands of a value by itself, whatever it is made of. */
export const restrictions: readonly Check[] = [types, words, ...boundChecks(), others]

function types({ place, before, after, direction }: Comparison): Breakage[] {
  const [old, now] = [typesOf(before), typesOf(after)]
  if (now === undefined)
    return direction === 'response' && old ? [{ place, message: 'may be of any type now' }] : []
  if (old === undefined)
    return direction === 'request' ? [{ place, message: `must be ${now.join(' or ')} now` }] : []
  const gone = old.filter((type) => !now.includes(type) && !(type === 'integer' && now.includes('number')))
  const come = now.filter((type) => !old.includes(type) && !(type === 'integer' && old.includes('number')))
  return [
    ...gone.map((type) => ({ place, message: `is not ${type} any more` })),
    ...(direction === 'response' ? come.map((type) => ({ place, message: `may be ${type} now` })) : []),
  ]
}

function typesOf({ type, enum: words }: JsonObject): readonly string[] | undefined {
  if (type === undefined) {
    // The words of a closed list tell their type.
    return words === undefined ? undefined : [...new Set(entriesOf(words).map(typeOf))]
  }
  return Array.isArray(type) ? (type as string[]) : [String(type)]
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function words({ place, before, after, direction }: Comparison): Breakage[] {
  if (before.enum === undefined) {
    const isNarrower = after.enum !== undefined && direction === 'request'
    return isNarrower ? [{ place, message: `must be one of ${canonical(after.enum)} now` }] : []
  }
  if (after.enum === undefined) {
    return direction === 'response' ? [{ place, message: 'is not from a closed list any more' }] : []
  }
  const now = new Set(entriesOf(after.enum).map(canonical))
  const gone = entriesOf(before.enum).filter((word) => !now.has(canonical(word)))
  return gone.map((word) => ({ place, message: `lost ${canonical(word)} from its list` }))
}

function boundChecks(): Check[] {
  return Object.entries(bounds).map(([name, side]) => ({ place, before, after, direction }) => {
    const none = side === 'lower' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
    const [old, now] = [Number(before[name] ?? none), Number(after[name] ?? none)]
    const isNarrower = side === 'lower' ? now > old : now < old
    const isBroken = direction === 'request' ? isNarrower : old !== now && !isNarrower
    const shown = (value: Json | undefined) => (value === undefined ? 'none' : canonical(value))
    return isBroken
      ? [{ place, message: `changed ${name} from ${shown(before[name])} to ${shown(after[name])}` }]
      : []
  })
}

/** Whatever else a schema says must stay as it is; a request may lose a restriction. */
function others({ place, before, after, direction }: Comparison): Breakage[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => {
    if (understood.has(name) || isExplanation(name)) return []
    if (canonical(before[name]) === canonical(after[name])) return []
    if (direction === 'request' && after[name] === undefined) return []
    if (direction === 'response' && before[name] === undefined) return []
    return [
      { place, message: `changed ${name} from ${canonical(before[name])} to ${canonical(after[name])}` },
    ]
  })
}
