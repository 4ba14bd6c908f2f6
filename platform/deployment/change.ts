import { isObject } from '#base/object.ts'
import type { ConfigProblem } from '../../config/error.ts'
import { containersOf, IMAGE_DIGEST, isCalled, replaceImages } from './images.ts'
import { checkResources } from './render.ts'
import type { Resource } from './resource.ts'

/** A change that cannot be made, with every reason. */
export class ChangeError extends Error {
  constructor(problems: readonly ConfigProblem[]) {
    super(
      `The deployment was not changed. ${problems.map(({ path, message }) => `${path} ${message}.`).join(' ')}`,
    )
  }
}

const REVISION = 'deployment.kubernetes.io/revision'
const FIRST_REVISION = 1
const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'DaemonSet'])

/**
 * Gives the resources that `asked` makes of a deployment: `{ images: { name: digest } }` other images,
 * `{ resources: […] }` all of them anew, `{ restore: true }` what is configured, undefined the same under the next
 * revision. Throws a `ChangeError` for anything else.
 */
export function changeDeployment(
  resources: readonly Resource[],
  asked: unknown,
  restore: () => readonly Resource[],
): readonly Resource[] {
  if (asked === undefined) return rollOut(resources)
  const problems = problemsOfRequest(asked, resources)
  if (problems.length > 0) throw new ChangeError(problems)
  const request = asked as ChangeRequest
  if (request.images) return replaceImages(resources, request.images)
  return request.resources ?? restore()
}

interface ChangeRequest {
  readonly images?: Readonly<Record<string, string>>
  readonly resources?: readonly Resource[]
  readonly restore?: true
}

function problemsOfRequest(asked: unknown, resources: readonly Resource[]): ConfigProblem[] {
  const [name, ...others] = isObject(asked) ? Object.keys(asked) : []
  if (!isObject(asked) || name === undefined || others.length > 0) {
    return [{ path: 'The body', message: 'must hold one of images, resources and restore' }]
  }
  const value = asked[name]
  if (name === 'images')
    return isObject(value) ? imageProblems(value, resources) : [expected(name, 'an object')]
  if (name === 'restore') return value === true ? [] : [expected(name, 'true')]
  if (name !== 'resources') return [{ path: name, message: 'is not a known key' }]
  if (!Array.isArray(value)) return [expected(name, 'a list')]
  return checkResources(value.map((item, index) => ({ path: `resources[${index}]`, value: item })))
}

function imageProblems(
  digests: Readonly<Record<string, unknown>>,
  resources: readonly Resource[],
): ConfigProblem[] {
  return Object.entries(digests).flatMap(([name, digest]) => {
    if (!IMAGE_DIGEST.test(String(digest))) return [expected(name, 'sha256: and 64 hexadecimal digits')]
    const found = containersOf(resources).some(({ image }) => isCalled(image, name))
    return found ? [] : [{ path: name, message: 'is an image that no container runs' }]
  })
}

function expected(path: string, what: string): ConfigProblem {
  return { path, message: `must be ${what}` }
}

/** As a rollout does: the next revision stands on what runs, or on everything when nothing is known to run. */
function rollOut(resources: readonly Resource[]): Resource[] {
  const runs = ({ kind }: Resource): boolean => WORKLOADS.has(String(kind))
  const any = resources.some(runs)
  return resources.map((resource) => (any && !runs(resource) ? resource : withNextRevision(resource)))
}

function withNextRevision(resource: Resource): Resource {
  const metadata = isObject(resource.metadata) ? resource.metadata : {}
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {}
  const revision = String((Number(annotations[REVISION]) || FIRST_REVISION) + 1)
  return { ...resource, metadata: { ...metadata, annotations: { ...annotations, [REVISION]: revision } } }
}
