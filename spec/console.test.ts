import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { consoleRoutes } from '#contract/console/routes'

interface Response {
  readonly $ref?: string
  readonly headers: Readonly<Record<string, { readonly required: boolean }>>
  readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>
}
interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Response>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>
    readonly schemas: Readonly<Record<string, unknown>>
  }
}

const file = join(import.meta.dirname, '..', 'generated', 'console', 'openapi.yaml')
const openapi = parse(readFileSync(file, 'utf8')) as Document
const answers = Object.values(openapi.paths)
  .flatMap((item) => Object.values(item))
  .flatMap(({ operationId, responses }) =>
    Object.entries(responses).map(([status, response]) => ({
      operationId,
      status,
      response: response.$ref ? openapi.components.responses[response.$ref.split('/').at(-1)!]! : response,
    })),
  )
const operations = Object.entries(consoleRoutes)

test.each(answers)('$operationId names the request in its $status, and no cache keeps it', ({ response }) => {
  expect(response.headers['X-Request-Id']?.required).toBe(true)
  expect(response.headers['Cache-Control']?.required).toBe(true)
})

test.each(operations)('%s has the refusals that go with who may call it, and how', (_, route) => {
  const statuses: readonly number[] = route.statuses
  expect(statuses).toEqual(expect.arrayContaining([500, 503]))
  expect(statuses.includes(401)).toBe(route.session)
  expect(statuses.includes(403)).toBe(route.method !== 'get' || route.session)
  if (route.session) expect(statuses).toContain(429)
  expect(statuses.includes(404)).toBe(/\{|current$/.test(route.path))
  for (const status of [400, 408, 413, 415]) if (route.fields.length > 0) expect(statuses).toContain(status)
  if (route.query.length > 0) expect(statuses).toContain(400)
})

test('administrators have paths of their own, and nobody else has', () => {
  for (const [, { path, administrator }] of operations) expect(path.startsWith('/admin/')).toBe(administrator)
})

test('the document holds everything that it refers to, under names without a namespace', () => {
  const referred = [...readFileSync(file, 'utf8').matchAll(/#\/components\/schemas\/([^"]+)"/g)]
  const names = new Set(referred.map(([, name]) => name!))
  expect(names.size).toBeGreaterThan(0)
  expect(Object.keys(openapi.components.schemas)).toEqual(expect.arrayContaining([...names]))
  expect(Object.keys(openapi.components.schemas).filter((name) => !/^\w+$/.test(name))).toEqual([])
})

test('a path without a parameter stands before one whose parameter would take it', () => {
  const paths = operations.map(([, { method, path }]) => `${method} ${path}`)
  const hidden = paths.filter((path, index) =>
    paths.slice(0, index).some((earlier) => earlier !== path && fits(earlier, path)),
  )
  expect(fits('get /requests/{id}', 'get /requests/live')).toBe(true)
  expect(hidden).toEqual([])
})

function fits(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replace('.', '\\.').replace(/\{\w+\}/g, '[^/{]+')}$`).test(path)
}
