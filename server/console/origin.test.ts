import { expect, test } from 'vitest'
import { isOwnOrigin } from './origin.ts'

test.each<[string | undefined, string, string, boolean]>([
  ['https://router.example', 'router.example', 'https://router.example', true],
  ['https://router.example', 'somewhere.internal', 'https://router.example', true],
  [undefined, 'router.example', 'https://router.example', false],
  ['null', 'router.example', 'https://router.example', false],
  ['http://router.example', 'router.example', 'https://router.example', false],
  ['https://router.example:8443', 'router.example:8443', 'https://router.example', false],
  ['https://router.example.evil.example', 'router.example', 'https://router.example', false],
  ['https://evil.example', 'evil.example', 'https://router.example', false],
  ['http://127.0.0.1:8080', '127.0.0.1:8080', 'http://127.0.0.1:8080', true],
  ['http://localhost:8080', 'localhost:8080', 'http://127.0.0.1:8080', true],
  ['http://127.0.0.1:33333', '127.0.0.1:33333', 'http://127.0.0.1:0', true],
  ['http://localhost:9999', 'localhost:8080', 'http://127.0.0.1:8080', false],
  ['http://evil.example', 'evil.example', 'http://127.0.0.1:8080', false],
  ['http://evil.example:8080', '127.0.0.1:8080', 'http://127.0.0.1:8080', false],
  ['http://localhost:8080', 'localhost:8080', 'http://router.example:8080', false],
])('%s at %s of a console at %s: %j', (origin, host, publicUrl, isOwn) => {
  expect(isOwnOrigin({ headers: { ...(origin !== undefined && { origin }), host } }, publicUrl)).toBe(isOwn)
})
