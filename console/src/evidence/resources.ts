import { isList, isObject, type Json } from './json.ts'

/** The resources of a snapshot; none where it has no such list. */
export function resourcesOf(snapshot: Json): readonly Json[] {
  return isObject(snapshot) && isList(snapshot.resources) ? snapshot.resources : []
}

/** What a resource is known by: kind, namespace and name. */
export function nameOf(resource: Json): string {
  if (!isObject(resource)) return 'Resource without a kind'
  const { kind, metadata, name } = resource
  const about = isObject(metadata) ? metadata : { name }
  const place = [about.namespace, about.name]
    .filter((part) => typeof part === 'string' && part !== '')
    .join('/')
  return [typeof kind === 'string' ? kind : 'Resource', place].filter((part) => part !== '').join(' ')
}

/** Every image that a resource runs, wherever it stands in it. */
export function imagesOf(value: Json | undefined): string[] {
  if (isList(value)) return [...new Set(value.flatMap(imagesOf))]
  if (!isObject(value)) return []
  const own = typeof value.image === 'string' ? [value.image] : []
  return [...new Set([...own, ...Object.values(value).flatMap(imagesOf)])]
}
