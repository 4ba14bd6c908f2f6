import { parse } from 'yaml'
import type { Json, JsonObject } from '#attestation'
import type { components } from '#contract'

/** One difference between two snapshots. */
export type SnapshotChange = components['schemas']['SnapshotChange']

type Report = (path: string, before: Json | undefined, after: Json | undefined) => void

const CONFIGURATIONS: readonly unknown[] = ['ConfigMap', 'Secret']

/** Tells what differs between two snapshots, resource by resource: images, configuration keys, everything else. */
export function diffSnapshots(before: Json, after: Json): SnapshotChange[] {
  const changes: SnapshotChange[] = []
  const [ours, theirs] = [resourcesOf(before), resourcesOf(after)]
  for (const name of keysOf(ours, theirs)) {
    const [one, other] = [ours.get(name), theirs.get(name)]
    if (one === undefined || other === undefined) {
      const change = one === undefined ? 'resource_added' : 'resource_removed'
      changes.push({ change, resource: name, path: '', before: textOf(one), after: textOf(other) })
      continue
    }
    const kind = isObject(one) ? one.kind : undefined
    compare('', one, other, CONFIGURATIONS.includes(kind), (path, was, is) =>
      changes.push({
        change: kindOf(kind, path),
        resource: name,
        path,
        before: textOf(was),
        after: textOf(is),
      }),
    )
  }
  return changes
}

/** The resources by kind, namespace and name; whatever else a snapshot holds stands under a name of its own. */
function resourcesOf(snapshot: Json): Map<string, Json> {
  const named = new Map<string, Json>()
  const { resources, ...rest } = isObject(snapshot) ? snapshot : { snapshot }
  if (Object.keys(rest).length > 0) named.set('snapshot', rest)
  const list = Array.isArray(resources) ? (resources as readonly Json[]) : []
  for (const resource of list) {
    const name = nameOf(resource)
    let unique = name
    for (let count = 2; named.has(unique); count += 1) unique = `${name} #${count}`
    named.set(unique, resource)
  }
  return named
}

function nameOf(resource: Json): string {
  const { apiVersion, kind, metadata, name } = isObject(resource) ? resource : {}
  const { namespace, name: own = name } = isObject(metadata) ? metadata : {}
  const group = /^([^/]+)\//.exec(String(apiVersion ?? ''))?.[1]
  const place = [namespace, own].filter((part) => typeof part === 'string').join('/')
  return [group, String(kind ?? 'resource'), place].filter(Boolean).join(' ')
}

function kindOf(kind: Json | undefined, path: string): SnapshotChange['change'] {
  if (/(^|\.)(initContainers|containers)\[[^\]]*\]\.image$/.test(path) || path === 'image') return 'image'
  return CONFIGURATIONS.includes(kind) || /\.env(\[|\.)/.test(path) ? 'configuration' : 'field'
}

/** Walks both; texts of a configuration are opened where both are documents. */
function compare(
  path: string,
  before: Json | undefined,
  after: Json | undefined,
  isConfiguration: boolean,
  report: Report,
): void {
  const [one, other] = [mapOf(before), mapOf(after)]
  if (one !== undefined && other !== undefined && one.isList === other.isList) {
    for (const key of keysOf(one.members, other.members)) {
      const at = one.isList ? `${path}[${key}]` : path + memberOf(key, path)
      compare(at, one.members.get(key), other.members.get(key), isConfiguration, report)
    }
    return
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return
  const [text, otherText] = isConfiguration ? [documentIn(before), documentIn(after)] : []
  let isTold = false
  if (text !== undefined && otherText !== undefined) {
    compare(path, text, otherText, false, (...change) => {
      isTold = true
      report(...change)
    })
  }
  // Comments or spelling alone: the text is what was signed.
  if (!isTold) report(path, before, after)
}

interface Members {
  readonly isList: boolean
  readonly members: ReadonlyMap<string, Json>
}

/** Items of a list go by their names where all have one, else by their places. */
function mapOf(value: Json | undefined): Members | undefined {
  if (Array.isArray(value)) {
    const items = value as readonly Json[]
    const names = items.map((item) =>
      isObject(item) && typeof item.name === 'string' ? item.name : undefined,
    )
    const isNamed = !names.includes(undefined) && new Set(names).size === names.length
    return {
      isList: true,
      members: new Map(items.map((item, index) => [isNamed ? names[index]! : `${index}`, item])),
    }
  }
  if (!isObject(value)) return undefined
  const entries = Object.entries(value).filter((entry): entry is [string, Json] => entry[1] !== undefined)
  return { isList: false, members: new Map(entries) }
}

function documentIn(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return undefined
  try {
    const document: unknown = parse(value, { logLevel: 'silent', maxAliasCount: 0 })
    return typeof document === 'object' && document !== null ? (document as Json) : undefined
  } catch {
    return undefined
  }
}

function memberOf(key: string, path: string): string {
  if (!/^[A-Za-z_][\w-]*$/.test(key)) return `[${JSON.stringify(key)}]`
  return path === '' ? key : `.${key}`
}

function keysOf(one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].sort()
}

function textOf(value: Json | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
