import { isObject } from '#base/object.ts'
import type { Resource } from './resource.ts'

/** A container of a rendered resource. */
export interface Container {
  readonly image: unknown
}

/** The digest of a container image. */
export const IMAGE_DIGEST = /^sha256:[0-9a-f]{64}$/

const CONTAINER_LISTS = new Set(['containers', 'initContainers', 'ephemeralContainers'])

/** Every container that a resource runs, however deep its template lies. */
export function containersOf(value: unknown): Container[] {
  if (Array.isArray(value)) return value.flatMap(containersOf)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) =>
    CONTAINER_LISTS.has(name) && Array.isArray(item)
      ? item.filter(isObject).map(({ image }) => ({ image }))
      : containersOf(item),
  )
}

/** Whether an image is named so that it cannot change: `registry/name:tag@sha256:…`. */
export function isNamedByDigest(image: unknown): boolean {
  const [name, digest, ...rest] = String(image).split('@')
  return Boolean(name) && IMAGE_DIGEST.test(digest ?? '') && rest.length === 0
}

/** The resources with another digest at each image that is listed by its name. */
export function replaceImages(
  resources: readonly Resource[],
  digests: Readonly<Record<string, string>>,
): Resource[] {
  return resources.map((resource) => replaceIn(resource, digests) as Resource)
}

function replaceIn(value: unknown, digests: Readonly<Record<string, string>>): unknown {
  if (Array.isArray(value)) return value.map((item) => replaceIn(item, digests))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, item]) => {
    if (!CONTAINER_LISTS.has(name) || !Array.isArray(item)) return [name, replaceIn(item, digests)]
    return [name, item.map((container) => withImage(container, digests))]
  })
  return Object.fromEntries(entries)
}

function withImage(container: unknown, digests: Readonly<Record<string, string>>): unknown {
  if (!isObject(container)) return container
  const called = Object.keys(digests).find((name) => isCalled(container.image, name))
  return called === undefined
    ? container
    : { ...container, image: `${nameOf(container.image)}@${digests[called]}` }
}

/** Whether an image has this name, with or without its tag. */
export function isCalled(image: unknown, name: string): boolean {
  // A colon after the last slash begins a tag; one before it belongs to a port.
  return nameOf(image) === name || nameOf(image).replace(/:[^:/]*$/, '') === name
}

function nameOf(image: unknown): string {
  return String(image).split('@', 1)[0]!
}
