import { expect, expectTypeOf, test } from 'vitest'
import { type ConsoleOperationId, consoleRoutes } from '#contract/console/routes'
import { bodies } from './bodies.ts'
import type { ConsoleHandler, ConsoleHandlers, ConsoleReply, ConsoleRequest, Person } from './handlers.ts'

test('every operation has its handler, and none has a status or a header of its own making', () => {
  expectTypeOf<keyof ConsoleHandlers>().toEqualTypeOf<ConsoleOperationId>()
  expectTypeOf<ConsoleReply<'createKey'>['status']>().toEqualTypeOf<201>()
  expectTypeOf<ConsoleReply<'endSession'>['body']>().toEqualTypeOf<undefined>()
  // @ts-expect-error: 200 is none of its statuses.
  const status: ConsoleHandler<'endSession'> = async () => ({ status: 200 })
  // @ts-expect-error: a session that ends takes its cookie away.
  const missing: ConsoleHandler<'deleteSession'> = async () => ({ status: 204 })
  // @ts-expect-error: X-Strange is not declared.
  const strange: ConsoleHandler<'endSession'> = async () => ({ status: 204, headers: { 'X-Strange': 'a' } })
  const right: ConsoleHandler<'endSession'> = async () => ({ status: 204, headers: { 'Set-Cookie': 'a=b' } })
  expect(new Set([status, missing, strange, right]).size).toBe(4)
})

test('a handler sees the names of its own path and query, its body, and somebody where a session is needed', () => {
  expectTypeOf<ConsoleRequest<'getBundle'>['path']>().toEqualTypeOf<
    Readonly<Record<'name' | 'digest', string>>
  >()
  expectTypeOf<keyof ConsoleRequest<'listKeys'>['query']>().toEqualTypeOf<'after' | 'limit'>()
  expectTypeOf<ConsoleRequest<'signIn'>['person']>().toEqualTypeOf<undefined>()
  expectTypeOf<ConsoleRequest<'getMe'>['person']>().toEqualTypeOf<Person>()
  expectTypeOf<ConsoleRequest<'getMe'>['body']>().toEqualTypeOf<undefined>()
  expectTypeOf<ConsoleRequest<'createKey'>['body']['name']>().toEqualTypeOf<string>()
  expect(consoleRoutes.getBundle.path).toBe('/endpoints/{name}/bundles/{digest}')
})

test('exactly the operations with fields take a body', () => {
  const withFields = Object.entries(consoleRoutes).filter(([, { fields }]) => fields.length > 0)
  expect(Object.keys(bodies).sort()).toEqual(withFields.map(([operation]) => operation).sort())
})
