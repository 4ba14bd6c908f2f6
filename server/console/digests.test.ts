import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createDigests } from './digests.ts'

const digests = createDigests(() => Buffer.alloc(32, 7))
const others = createDigests(() => Buffer.alloc(32, 8))

test('a token is known as one of this deployment, and of its kind', () => {
  const token = digests.createToken('session')
  expect(digests.createToken('session')).not.toBe(token)
  expect(digests.parseToken('session', token)).toBe(token)
  expect(digests.parseToken('browser', token)).toBeUndefined()
  expect(others.parseToken('session', token)).toBeUndefined()
})

test('a token that somebody made up, or changed anywhere, is none', () => {
  for (let count = 0; count < 100; count++) {
    expect(digests.parseToken('session', randomBytes(32).toString('base64url'))).toBeUndefined()
  }
  const token = digests.createToken('session')
  for (let at = 0; at < token.length; at++) {
    for (const other of ['A', 'B', 'g', '_']) {
      const changed = token.slice(0, at) + other + token.slice(at + 1)
      if (changed !== token) expect(digests.parseToken('session', changed)).toBeUndefined()
    }
  }
  for (const text of [undefined, '', `${token}A`, token.slice(1)]) {
    expect(digests.parseToken('session', text)).toBeUndefined()
  }
})
