import type { Json, JsonObject } from '#attestation'
import { MAX_SHOWN, quote, shorten } from '#base/foreign-text.ts'
import { isObject } from '#base/object.ts'

/** What an item of a list is known by when it has been changed: a resource's names, or a `name`. */
export function identityOf(item: Json): string | undefined {
  if (!isObject(item)) return undefined
  const { kind, metadata, name } = item
  if (isObject(metadata) && typeof metadata.name === 'string') {
    return JSON.stringify([groupOf(item), kind ?? null, metadata.namespace ?? null, metadata.name])
  }
  return typeof name === 'string' ? JSON.stringify(name) : undefined
}

/** A resource for people: group and kind, and its name between quotation marks. */
export function resourceInWords(resource: Json): string {
  const { kind, metadata, name } = isObject(resource) ? resource : {}
  const { namespace, name: own = name } = isObject(metadata) ? metadata : {}
  const place = [namespace, own].filter((part) => typeof part === 'string').join('/')
  const type = typeof kind === 'string' ? kind : 'of no kind'
  const group = isObject(resource) ? groupOf(resource) : ''
  return [shorten([group, type].filter(Boolean).join(' ')), ...(place === '' ? [] : [quote(place)])].join(' ')
}

/** The name of an item of a list between quotation marks; undefined where it has none. */
export function itemInWords(item: Json | undefined): string | undefined {
  if (!isObject(item)) return undefined
  const { metadata, name } = item
  const own = isObject(metadata) ? metadata.name : name
  return typeof own === 'string' ? quote(own) : undefined
}

function groupOf({ apiVersion }: JsonObject): string {
  return typeof apiVersion === 'string' ? (/^([^/]+)\//.exec(apiVersion.slice(0, MAX_SHOWN))?.[1] ?? '') : ''
}
