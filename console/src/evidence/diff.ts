import canonicalize from 'canonicalize'
import { isList, isObject, type Json } from './json.ts'
import { nameOf, resourcesOf } from './resources.ts'

/** One thing that differs between two snapshots. */
export interface Change {
  readonly kind: 'added' | 'removed' | 'changed'
  /** The resource that it is about; undefined for what stands beside the resources. */
  readonly resource: string | undefined
  /** Where in the resource: `spec.template.spec.containers[router].image`; empty for the whole of it. */
  readonly place: string
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/**
 * Everything that differs between two snapshots, down to single values. Items of lists are known by their names, where
 * they have some, and otherwise by their places. No change means that both hold the same values.
 */
export function changesBetween(before: Json, after: Json): Change[] {
  const changes: Change[] = []
  const [olds, news] = [byName(before), byName(after)]
  for (const name of new Set([...olds.keys(), ...news.keys()])) {
    compare(name, '', olds.get(name), news.get(name))
  }
  compare(undefined, '', besides(before), besides(after))
  if (changes.length === 0 && !isSame(before, after)) {
    changes.push({
      kind: 'changed',
      resource: undefined,
      place: 'order of the resources',
      before: undefined,
      after: undefined,
    })
  }
  return changes

  function compare(
    resource: string | undefined,
    place: string,
    one: Json | undefined,
    other: Json | undefined,
  ): void {
    if (isSame(one, other)) return
    const at = changes.length
    if (isObject(one) && isObject(other)) {
      for (const name of [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()) {
        compare(resource, place === '' ? name : `${place}.${name}`, one[name], other[name])
      }
    } else if (isList(one) && isList(other)) {
      const [olds, news] = [byItem(one), byItem(other)]
      for (const name of new Set([...olds.keys(), ...news.keys()])) {
        compare(resource, `${place}[${name}]`, olds.get(name), news.get(name))
      }
    }
    // Neither has parts that differ: the values themselves do, or the order of a list's items.
    if (changes.length === at) {
      const kind = one === undefined ? 'added' : other === undefined ? 'removed' : 'changed'
      changes.push({ kind, resource, place, before: one, after: other })
    }
  }
}

function byName(snapshot: Json): Map<string, Json> {
  return numbered(resourcesOf(snapshot).map((resource): [string, Json] => [nameOf(resource), resource]))
}

function byItem(list: readonly Json[]): Map<string, Json> {
  return numbered(
    list.map((item, index): [string, Json] => [
      isObject(item) && typeof item.name === 'string' ? item.name : String(index),
      item,
    ]),
  )
}

/** Two of one name are two: none may hide the other. */
function numbered(entries: readonly [string, Json][]): Map<string, Json> {
  const seen = new Map<string, Json>()
  for (const [name, value] of entries) {
    let own = name
    for (let count = 2; seen.has(own); count++) own = `${name} #${count}`
    seen.set(own, value)
  }
  return seen
}

/** What stands in a snapshot beside its resources. */
function besides(snapshot: Json): Json {
  if (!isObject(snapshot) || !isList(snapshot.resources)) return snapshot
  const { resources: _, ...rest } = snapshot
  return rest
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return canonicalize(one) === canonicalize(other)
}
