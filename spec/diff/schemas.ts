import {
  type Breakage,
  canonical,
  entriesOf,
  type Json,
  type JsonObject,
  membersOf,
  type Pair,
  resolve,
} from './document.ts'
import { type Check, type Comparison, type Direction, restrictions } from './restrictions.ts'

/**
 * What a changed schema breaks (VERS-01). A request that was accepted must still be accepted. A response must keep all that
 * it had and bring nothing of another kind; new members and new words of a closed list are additions.
 */
export function compareSchemas(
  place: string,
  before: Json | undefined,
  after: Json | undefined,
  direction: Direction,
  pair: Pair,
  seen: ReadonlySet<string> = new Set(),
): readonly Breakage[] {
  const names = `${canonical(membersOf(before).$ref)} ${canonical(membersOf(after).$ref)}`
  const isReference = membersOf(before).$ref !== undefined && membersOf(after).$ref !== undefined
  if (isReference && seen.has(names)) return []
  const comparison = {
    place,
    before: plain(resolve(before, pair.released)),
    after: plain(resolve(after, pair.current)),
    direction,
    pair,
    seen: isReference ? new Set([...seen, names]) : seen,
  }
  return checks.flatMap((check) => check(comparison))
}

/** `const` is a list of one; a list of one alternative is that one. */
function plain(schema: JsonObject): JsonObject {
  const { const: only, oneOf, ...rest } = schema
  return {
    ...rest,
    ...(only === undefined ? {} : { enum: [only] }),
    ...(oneOf === undefined ? {} : { anyOf: oneOf }),
  }
}

const checks: readonly Check[] = [...restrictions, members, required, items, alternatives]

function members({ place, before, after, direction, pair, seen }: Comparison): Breakage[] {
  const now = membersOf(after.properties)
  return Object.entries(membersOf(before.properties)).flatMap(([name, schema]) =>
    now[name] === undefined
      ? [{ place: `${place} .${name}`, message: 'is gone' }]
      : [...compareSchemas(`${place} .${name}`, schema, now[name], direction, pair, seen)],
  )
}

function required({ place, before, after, direction }: Comparison): Breakage[] {
  const [old, now] = [entriesOf(before.required), entriesOf(after.required)]
  if (direction === 'request') {
    const come = now.filter((name) => !old.includes(name))
    return come.map((name) => ({ place: `${place} .${name}`, message: 'is required now' }))
  }
  const gone = old.filter(
    (name) => !now.includes(name) && membersOf(after.properties)[String(name)] !== undefined,
  )
  return gone.map((name) => ({ place: `${place} .${name}`, message: 'may be absent now' }))
}

/** Schemas of what an object or array holds beside what is named; absent or true is anything at all. */
function items({ place, before, after, direction, pair, seen }: Comparison): Breakage[] {
  return (['items', 'additionalProperties'] as const).flatMap((name) => {
    const [old, now] = [before[name] ?? true, after[name] ?? true]
    const at = `${place} ${name === 'items' ? '[]' : '.*'}`
    if (typeof old !== 'boolean' && typeof now !== 'boolean') {
      return [...compareSchemas(at, old, now, direction, pair, seen)]
    }
    if (canonical(old) === canonical(now)) return []
    if (direction === 'request') {
      const isWider = now === true || old === false
      return isWider ? [] : [{ place: at, message: 'accepts less now' }]
    }
    // Members that are not named yet are what extension is (VERS-02); entries of a list are not.
    const isAddition = name === 'additionalProperties' || old === true
    return isAddition ? [] : [{ place: at, message: 'may be anything now' }]
  })
}

/** Alternatives are matched by their names, and those without one by whether they go on. */
function alternatives({ place, before, after, direction, pair, seen }: Comparison): Breakage[] {
  const [old, now] = [entriesOf(before.anyOf), entriesOf(after.anyOf)]
  if (old.length === 0 && now.length === 0) return []
  if (old.length === 0) return [{ place, message: 'is a choice of alternatives now' }]
  if (now.length === 0) return [{ place, message: 'is no choice of alternatives any more' }]
  const left = [...now]
  const broken = old.flatMap((alternative): readonly Breakage[] => {
    const compare = (successor: Json) => compareSchemas(place, alternative, successor, direction, pair, seen)
    const namesake = left.findIndex((successor) => nameOf(successor) === nameOf(alternative))
    const found = namesake >= 0 ? namesake : left.findIndex((successor) => compare(successor).length === 0)
    if (found < 0) return [{ place, message: `lost the alternative ${nameOf(alternative)}` }]
    const [successor] = left.splice(found, 1)
    return compare(successor!)
  })
  const come = direction === 'response' ? left : []
  return [...broken, ...come.map((one) => ({ place, message: `may be ${nameOf(one)} now` }))]
}

function nameOf(schema: Json): string {
  const { $ref } = membersOf(schema)
  return typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : canonical(schema)
}
