import { routes } from '#contract/routes'

/** One operation that this router serves: `GET`, `/v1/models/{id}`, and the paths that this stands for. */
interface Served {
  readonly method: string
  readonly path: string
  readonly pattern: RegExp
}

const served: readonly Served[] = Object.values(routes)
  .filter(({ server }) => server === 'router')
  .map((route) => {
    const path = `/v1${route.path}`
    return { method: route.method.toUpperCase(), path, pattern: patternOf(path) }
  })

/** What is told to whoever asks for a path or a method that is not served: what to ask for instead. */
export function hintFor(path: string): string {
  if (/\/v1\/+v1(\/|$)/.test(path)) {
    return 'No such path: /v1 stands in it twice. The base URL already ends in /v1.'
  }
  if (path.includes('//')) return 'No such path: two slashes stand side by side in it.'
  const bare = path.replace(/\/+$/, '')
  const [other] = servedAt(bare)
  if (other && bare === path) return `No such method: ${other.path} takes ${other.method}.`
  if (other) return 'No such path: leave out the slash at its end.'
  if (servedAt(`/v1${bare}`).length > 0) return 'No such path: the API lies under /v1.'
  const all = served.map((each) => `${each.method} ${each.path}`).join(', ')
  return `No such path. This router serves: ${all}.`
}

function servedAt(path: string): readonly Served[] {
  return served.filter(({ pattern }) => pattern.test(path))
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^]+')}$`)
}
