import { expect, test } from 'vitest'
import { rateLimitError, rateLimitHeaders } from './refusal.ts'

const bucket = {
  bucket: 'key_requests' as const,
  limit: 60,
  remaining: 0,
  waitMs: 1_500,
  nowMs: 10_000,
}

test('a refusal is 429 rate_limit_exceeded and names its bucket and when it admits again', () => {
  const error = rateLimitError(bucket)
  expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
  expect(error.message).toBe('The limit of 60 requests a minute of this key is reached. Try again in 2 s.')
  expect(error.headers).toEqual({
    'Retry-After': '2',
    'retry-after-ms': '1500',
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': '12',
  })
})

test.each([
  ['at least one second', 1, '1', '1', '11'],
  ['whole seconds, rounded up', 1_001, '2', '1001', '12'],
  ['at most a minute, while the reset stays true', 90_500, '60', '60000', '101'],
])('Retry-After is %s', (_, waitMs, seconds, milliseconds, reset) => {
  expect(rateLimitError({ ...bucket, waitMs }).headers).toMatchObject({
    'Retry-After': seconds,
    'retry-after-ms': milliseconds,
    'X-RateLimit-Reset': reset,
  })
})

test('a bucket that admits tells its size, what is left and that it admits now', () => {
  expect(rateLimitHeaders({ ...bucket, remaining: 12, waitMs: 0 })).toEqual({
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '12',
    'X-RateLimit-Reset': '10',
  })
})
