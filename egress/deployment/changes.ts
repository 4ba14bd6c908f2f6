import type { Json } from '#attestation'
import { isObject } from '#base/object.ts'
import type { components } from '#contract/types'
import { type Concern, concerns } from './concern.ts'
import { type Edit, editsBetween, type Path } from './edits.ts'
import { itemInWords, resourceInWords } from './names.ts'
import { placeInWords, valueAt } from './place.ts'
import { foremostOf, sheetOf } from './sheet.ts'
import { changeInWords } from './text-change.ts'

/** One step from a snapshot to another, as a document. */
export type SnapshotChange = components['schemas']['SnapshotChange']

/** One step, and what a person is told of it: never nothing. */
export interface Change {
  readonly document: SnapshotChange
  readonly lines: readonly [string, ...string[]]
}

/** Which resource a step is about: a whole one, a part of one, or what stands beside all of them. */
interface About {
  readonly resource: string
  readonly isWhole: boolean
  /** Path and place within the resource. */
  readonly path: Path
  readonly place: string
  readonly kind: Json | undefined
}

const BESIDE = 'beside the resources'

/**
 * Every step from one snapshot to another, for programs and for people. What people are told is made of the steps one by
 * one, so that nothing that differs is left out; no change means that both hold the same values.
 */
export function changesBetween(before: Json, after: Json): Change[] {
  const names = new Map<Json, string>()
  // Many steps may be about one resource, and its name may be long.
  const nameOf = (resource: Json): string => {
    const name = names.get(resource) ?? resourceInWords(resource)
    names.set(resource, name)
    return name
  }
  return editsBetween(before, after).map((edit) => {
    const about = aboutOf(edit, after, nameOf)
    const concern = concernIn(edit, about)
    return { document: documentOf(edit, about, concern), lines: inWords(edit, about, concern) }
  })
}

/** Changes by resource; whole resources first, then what matters most. */
export function inOrder(changes: readonly Change[]): Change[] {
  const ranks: readonly SnapshotChange['change'][] = [
    'resource_added',
    'resource_removed',
    'resource_moved',
    ...concerns,
    'order',
  ]
  const rank = ({ document: { change } }: Change) => ranks.indexOf(change)
  const isWhole = (change: Change) => rank(change) < ranks.indexOf('image')
  const parts = Map.groupBy(
    changes.filter((change) => !isWhole(change)),
    ({ document }) => document.resource,
  )
  const byRank = (group: readonly Change[]) => group.toSorted((one, other) => rank(one) - rank(other))
  return [...byRank(changes.filter(isWhole)), ...[...parts.values()].flatMap(byRank)]
}

function aboutOf(edit: Edit, after: Json, nameOf: (resource: Json) => string): About {
  const { path } = edit
  const [first, index] = path
  if (first !== 'resources' || typeof index !== 'number') {
    return { resource: BESIDE, isWhole: false, path, place: placeOf(edit, path, after), kind: undefined }
  }
  const isWhole = path.length === 2 && edit.op !== 'set'
  const stands = valueAt(path.slice(0, 2), after) ?? null
  const resource = isWhole ? itemOf(edit) : stands
  const name = `${nameOf(resource)} (${isWhole ? 'item' : 'resource'} ${index + 1})`
  const within = path.slice(2)
  return {
    resource: name,
    isWhole,
    path: within,
    place: isWhole ? 'whole' : placeOf(edit, within, stands),
    kind: kindOf(resource),
  }
}

/** The last part of the path of an item that is gone or has moved is no place of the second document. */
function placeOf(edit: Edit, path: Path, around: Json): string {
  if (edit.op !== 'delete' && edit.op !== 'move') return placeInWords(path, around)
  const name = itemInWords(itemOf(edit))
  const list = path.slice(0, -1)
  const place = list.length === 0 ? '' : placeInWords(list, around)
  return `${place}[${String(path.at(-1))}${name === undefined ? '' : ` ${name}`}]`
}

function itemOf(edit: Edit): Json {
  if (edit.op === 'move') return edit.item
  return edit.op === 'remove' || edit.op === 'delete' ? edit.before : edit.after
}

function kindOf(resource: Json): Json | undefined {
  return isObject(resource) ? resource.kind : undefined
}

type Kind = SnapshotChange['change']

function concernIn(edit: Edit, { isWhole, path, kind }: About): Kind {
  if (isWhole) {
    if (edit.op === 'move') return 'resource_moved'
    return edit.op === 'insert' ? 'resource_added' : 'resource_removed'
  }
  if (edit.op === 'move') return 'order'
  const values = edit.op === 'set' ? [edit.before, edit.after] : [itemOf(edit)]
  const found = values.filter((value) => value !== undefined).map((value) => foremostOf(value, path, kind))
  return concerns.find((concern: Concern) => found.includes(concern)) ?? 'field'
}

function documentOf(edit: Edit, { resource, place }: About, change: Kind): SnapshotChange {
  const before = edit.op === 'insert' ? undefined : edit.op === 'move' ? edit.item : edit.before
  const after = edit.op === 'set' || edit.op === 'insert' ? edit.after : undefined
  return {
    change,
    resource,
    place,
    op: edit.op,
    path: [...edit.path],
    to: edit.op === 'move' ? edit.to : null,
    before: before === undefined ? null : JSON.stringify(before),
    after: after === undefined ? null : JSON.stringify(after),
  }
}

function inWords(edit: Edit, about: About, change: Kind): readonly [string, ...string[]] {
  const { resource, isWhole, path, place, kind } = about
  const sheet = (sign: '-' | '+', value: Json): string[] =>
    sheetOf(value, path, kind).map((line) => `    ${sign} ${line}`)
  if (edit.op === 'move') {
    const moved = `moved from ${Number(edit.path.at(-1)) + 1} to ${edit.to + 1} of those that stay`
    if (isWhole) return [`Order of the resources changed: ${resource} ${moved}`]
    const name = itemInWords(edit.item) ?? JSON.stringify(edit.item)
    const list = place.slice(0, place.lastIndexOf(`[${String(edit.path.at(-1))}`))
    return [`  order of ${list === '' ? 'the list' : list} changed: ${name} ${moved}`]
  }
  if (isWhole && edit.op === 'insert') return [`New: ${resource}`, ...sheet('+', edit.after)]
  if (isWhole && edit.op === 'delete') return [`Gone: ${resource}`, ...sheet('-', edit.before)]
  const head = `  ${change}  ${place}`
  if (edit.op !== 'set') {
    const isNew = edit.op === 'insert'
    return [`${head}: ${isNew ? 'new' : 'gone'}`, ...sheet(isNew ? '+' : '-', itemOf(edit))]
  }
  if (edit.before === undefined) return [`${head}: new`, ...sheet('+', edit.after)]
  if (isPlain(edit.before) && isPlain(edit.after)) {
    return [`${head}: changed`, ...changeInWords(edit.before, edit.after).map((line) => `    ${line}`)]
  }
  return [`${head}: changed`, ...sheet('-', edit.before), ...sheet('+', edit.after)]
}

function isPlain(value: Json): boolean {
  return typeof value !== 'object' || value === null
}
