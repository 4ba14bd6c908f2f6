import type { Json, JsonObject } from '#attestation'
import { isObject } from '#base/object.ts'
import { align } from './align.ts'
import { identityOf } from './names.ts'
import { Numbers } from './numbers.ts'

/** The way to a value: names of members, and places in lists from 0. */
export type Path = readonly (string | number)[]

/** One step from a document to another. The last part of the path of a list's steps is the place of an item. */
export type Edit =
  | { readonly op: 'set'; readonly path: Path; readonly before: Json | undefined; readonly after: Json }
  | { readonly op: 'remove'; readonly path: Path; readonly before: Json }
  | { readonly op: 'insert'; readonly path: Path; readonly after: Json }
  | { readonly op: 'delete'; readonly path: Path; readonly before: Json }
  | { readonly op: 'move'; readonly path: Path; readonly to: number; readonly item: Json }

/**
 * Every step from one document to another, in the order in which they are to be taken: what they make of the first is
 * the second. None are left out, so that what people are told of them cannot leave out anything either. Two documents
 * without a step between them hold the same values. In a list, items go first, then they change places, then come in;
 * paths below name the places of the second document.
 */
export function editsBetween(before: Json, after: Json): Edit[] {
  const edits: Edit[] = []
  const numbers = new Numbers()
  compare([], before, after)
  return edits

  function compare(path: Path, one: Json, other: Json): void {
    if (numbers.of(one) === numbers.of(other)) return
    if (isList(one) && isList(other)) compareLists(path, one, other)
    else if (isObject(one) && isObject(other)) compareMembers(path, one, other)
    else edits.push({ op: 'set', path, before: one, after: other })
  }

  function compareMembers(path: Path, one: JsonObject, other: JsonObject): void {
    for (const name of [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()) {
      const at = [...path, name]
      const was = memberOf(one, name)
      const is = memberOf(other, name)
      if (was !== undefined && is !== undefined) compare(at, was, is)
      else if (is !== undefined) edits.push({ op: 'set', path: at, before: undefined, after: is })
      else if (was !== undefined) edits.push({ op: 'remove', path: at, before: was })
    }
  }

  function compareLists(path: Path, one: readonly Json[], other: readonly Json[]): void {
    const sides = { before: one, after: other }
    const { origins, gone, moves } = align(one.length, other.length, [
      (side, index) => numbers.of(sides[side][index]!),
      (side, index) => identityOf(sides[side][index]!),
      // What is known by nothing is what stood there before.
      (side, index) => (identityOf(sides[side][index]!) === undefined ? index : undefined),
    ])
    for (const index of gone.toReversed())
      edits.push({ op: 'delete', path: [...path, index], before: one[index]! })
    const order = origins.filter((origin) => origin !== undefined).sort((a, b) => a - b)
    for (const { from, to } of moves) {
      const [origin = 0] = order.splice(from, 1)
      order.splice(to, 0, origin)
      edits.push({ op: 'move', path: [...path, from], to, item: one[origin]! })
    }
    for (const [index, origin] of origins.entries())
      if (origin === undefined) edits.push({ op: 'insert', path: [...path, index], after: other[index]! })
    for (const [index, origin] of origins.entries())
      if (origin !== undefined) compare([...path, index], one[origin]!, other[index]!)
  }
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function memberOf(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}
