import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { JsonObject } from './document.ts'
import { compareDocuments } from './operations.ts'

const released = `
servers: [{ url: https://router.example/v1 }]
paths:
  /chat:
    post:
      operationId: chat
      parameters:
        - { name: X-Request-Id, in: header, required: false, schema: { type: string } }
      requestBody:
        required: false
        content:
          application/json:
            schema: { $ref: '#/components/schemas/Request' }
      responses:
        '200':
          headers:
            X-Id: { required: true, schema: { type: string, pattern: '^a' } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Answer' }
            text/event-stream:
              schema: { type: string }
              x-event-schema: { anyOf: [{ $ref: '#/components/schemas/Answer' }, { const: '[DONE]' }] }
        '404': { $ref: '#/components/responses/NotFound' }
    get:
      operationId: read
      responses: { '204': { description: Nothing. } }
components:
  responses:
    NotFound:
      content:
        application/json:
          schema: { type: object, properties: { code: { enum: [not_found, gone], type: string } } }
  schemas:
    Request:
      type: object
      required: [model]
      additionalProperties: true
      properties:
        model: { type: string, minLength: 1 }
        stream: { type: [boolean, 'null'] }
        size: { type: integer, minimum: 1, maximum: 4 }
        mode: { type: string, enum: [fast, slow] }
        input: { anyOf: [{ type: string }, { type: array, items: { type: string } }] }
    Answer:
      type: object
      required: [id]
      properties:
        id: { type: string }
        count: { type: [integer, 'null'], minimum: 0 }
        label: { type: string, enum: [a, b] }
        list: { type: array, items: { $ref: '#/components/schemas/Answer' } }
`

type Draft = ReturnType<typeof parse>

/** What a change to the released document breaks. */
function broken(change: (document: Draft) => void): string[] {
  const current = parse(released)
  change(current)
  return compareDocuments({ released: parse(released) as JsonObject, current }).map(
    ({ place, message }) => `${place}: ${message}`,
  )
}

const chat = (document: Draft) => document.paths['/chat'].post
const ok = (document: Draft) => chat(document).responses['200']
const request = (document: Draft) => document.components.schemas.Request
const answer = (document: Draft) => document.components.schemas.Answer

test('the same document breaks nothing, in whatever order it is written', () => {
  expect(broken(() => {})).toEqual([])
  expect(
    broken((document) => Object.assign(document, parse(stringify(document, { sortMapEntries: true })))),
  ).toEqual([])
})

test.each<[string, (document: Draft) => void]>([
  ['a path', (d) => Object.assign(d.paths, { '/new': { get: { responses: {} } } })],
  ['an operation', (d) => Object.assign(d.paths['/chat'], { put: { responses: {} } })],
  ['a status', (d) => Object.assign(chat(d).responses, { '409': { description: 'Conflict.' } })],
  ['a response header', (d) => Object.assign(ok(d).headers, { 'X-New': { schema: { type: 'string' } } })],
  ['a content type', (d) => Object.assign(ok(d).content, { 'text/plain': { schema: { type: 'string' } } })],
  [
    'an optional parameter',
    (d) => chat(d).parameters.push({ name: 'q', in: 'query', schema: { type: 'string' } }),
  ],
  ['an optional request field', (d) => Object.assign(request(d).properties, { seed: { type: 'integer' } })],
  ['a response field', (d) => Object.assign(answer(d).properties, { extra: { type: 'string' } })],
  ['a required response field', (d) => answer(d).required.push('count')],
  ['a word that a request may use', (d) => request(d).properties.mode.enum.push('steady')],
  ['a word that a response may use', (d) => answer(d).properties.label.enum.push('c')],
  [
    'a type that a request may have',
    (d) => Object.assign(request(d).properties.model, { type: ['string', 'null'] }),
  ],
  ['an alternative of a request', (d) => request(d).properties.input.anyOf.push({ type: 'integer' })],
  ['room in a request', (d) => Object.assign(request(d).properties.size, { minimum: 0, maximum: 9 })],
  ['a field that a request may leave out', (d) => Object.assign(request(d), { required: [] })],
  ['an explanation', (d) => Object.assign(answer(d), { description: 'What comes back.', 'x-note': 1 })],
])('%s may be added', (_, change) => {
  expect(broken(change)).toEqual([])
})

test.each<[string, (document: Draft) => void, string]>([
  ['a path is removed', (d) => delete d.paths['/chat'], '/chat: is gone'],
  ['an operation is removed', (d) => delete d.paths['/chat'].get, 'GET /chat: is gone'],
  [
    'an operation is renamed',
    (d) => Object.assign(chat(d), { operationId: 'talk' }),
    'POST /chat: changed operationId',
  ],
  [
    'a key is asked for',
    (d) => Object.assign(chat(d), { security: [{ ApiKey: [] }] }),
    'POST /chat: changed security',
  ],
  ['the address changes', (d) => Object.assign(d, { servers: [] }), 'the document: changed servers'],
  ['a status is removed', (d) => delete chat(d).responses['404'], 'POST /chat, 404: is gone'],
  ['a header is removed', (d) => delete ok(d).headers['X-Id'], 'POST /chat, 200, header X-Id: is gone'],
  [
    'a header may be left out',
    (d) => Object.assign(ok(d).headers['X-Id'], { required: false }),
    'POST /chat, 200, header X-Id: may be absent now',
  ],
  [
    'a header changes its form',
    (d) => Object.assign(ok(d).headers['X-Id'].schema, { pattern: '^b' }),
    'POST /chat, 200, header X-Id: changed pattern from "^a" to "^b"',
  ],
  [
    'a content type is removed',
    (d) => delete ok(d).content['text/event-stream'],
    'POST /chat, 200 text/event-stream: is gone',
  ],
  [
    'a parameter is removed',
    (d) => chat(d).parameters.pop(),
    'POST /chat, header parameter X-Request-Id: is gone',
  ],
  [
    'a parameter becomes required',
    (d) => Object.assign(chat(d).parameters[0], { required: true }),
    'POST /chat, header parameter X-Request-Id: is required now',
  ],
  [
    'a body becomes required',
    (d) => Object.assign(chat(d).requestBody, { required: true }),
    'POST /chat, body: is required now',
  ],
  [
    'a request field is removed',
    (d) => delete request(d).properties.stream,
    'POST /chat, body .stream: is gone',
  ],
  [
    'a new request field is required',
    (d) => {
      Object.assign(request(d).properties, { seed: { type: 'integer' } })
      request(d).required.push('seed')
    },
    'POST /chat, body .seed: is required now',
  ],
  [
    'a request field loses a type',
    (d) => Object.assign(request(d).properties.stream, { type: 'boolean' }),
    'POST /chat, body .stream: is not null any more',
  ],
  [
    'a request field loses a word',
    (d) => request(d).properties.mode.enum.pop(),
    'POST /chat, body .mode: lost "slow" from its list',
  ],
  [
    'a request field gets a list of words',
    (d) => Object.assign(request(d).properties.model, { enum: ['a'] }),
    'POST /chat, body .model: must be one of ["a"] now',
  ],
  [
    'a request field gets less room',
    (d) => Object.assign(request(d).properties.size, { maximum: 3 }),
    'POST /chat, body .size: changed maximum from 4 to 3',
  ],
  [
    'a request field gets a pattern',
    (d) => Object.assign(request(d).properties.model, { pattern: '^a' }),
    'POST /chat, body .model: changed pattern from undefined to "^a"',
  ],
  [
    'a request loses an alternative',
    (d) => request(d).properties.input.anyOf.pop(),
    'POST /chat, body .input: lost the alternative',
  ],
  [
    'a request takes no other fields any more',
    (d) => Object.assign(request(d), { additionalProperties: false }),
    'POST /chat, body .*: accepts less now',
  ],
  [
    'a response field is removed',
    (d) => delete answer(d).properties.count,
    'POST /chat, 200 application/json .count: is gone',
  ],
  [
    'a response field may be left out',
    (d) => Object.assign(answer(d), { required: [] }),
    'POST /chat, 200 application/json .id: may be absent now',
  ],
  [
    'a response field gets another type',
    (d) => Object.assign(answer(d).properties.id, { type: 'integer' }),
    'POST /chat, 200 application/json .id: is not string any more',
  ],
  [
    'a response field may be null',
    (d) => Object.assign(answer(d).properties.id, { type: ['string', 'null'] }),
    'POST /chat, 200 application/json .id: may be null now',
  ],
  [
    'a response field loses a word',
    (d) => answer(d).properties.label.enum.shift(),
    'POST /chat, 200 application/json .label: lost "a" from its list',
  ],
  [
    'a response field may be anything',
    (d) => delete answer(d).properties.label.enum,
    'POST /chat, 200 application/json .label: is not from a closed list any more',
  ],
  [
    'a response field may be smaller',
    (d) => delete answer(d).properties.count.minimum,
    'POST /chat, 200 application/json .count: changed minimum from 0 to none',
  ],
  [
    'an error loses a code, behind a reference',
    (d) => d.components.responses.NotFound.content['application/json'].schema.properties.code.enum.pop(),
    'POST /chat, 404 application/json .code: lost "gone" from its list',
  ],
  [
    'a stream loses its last event',
    (d) => ok(d).content['text/event-stream']['x-event-schema'].anyOf.pop(),
    'POST /chat, 200 text/event-stream, event: lost the alternative {"const":"[DONE]"}',
  ],
  [
    'a restriction comes that this check does not know',
    (d) => Object.assign(request(d).properties.input, { not: { type: 'null' } }),
    'POST /chat, body .input: changed not',
  ],
])('it is told when %s', (_, change, expected) => {
  expect(broken(change)).toContainEqual(expect.stringContaining(expected))
})

test('a change that stands at several places is told at each, and a schema within itself is no endless loop', () => {
  expect(broken((document) => delete answer(document).properties.count)).toEqual([
    'POST /chat, 200 application/json .count: is gone',
    'POST /chat, 200 text/event-stream, event .count: is gone',
  ])
})

test('the whole contract keeps every promise of its own', () => {
  const file = join(import.meta.dirname, '..', '..', 'generated', 'openapi.yaml')
  const contract = parse(readFileSync(file, 'utf8')) as JsonObject
  expect(Object.keys(contract.paths as object).length).toBeGreaterThan(5)
  expect(compareDocuments({ released: contract, current: contract })).toEqual([])
})
