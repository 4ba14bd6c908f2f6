import { expect, test } from 'vitest'
import { spanOf } from './period.ts'

const now = new Date('2026-03-05T10:20:30Z')

test('the bucket that runs now is the last', () => {
  expect(spanOf('24h', now)).toEqual({
    bucket: 'hour',
    from: '2026-03-04T11:00:00.000Z',
    to: '2026-03-05T11:00:00.000Z',
  })
  expect(spanOf('30d', now)).toEqual({
    bucket: 'day',
    from: '2026-02-04T00:00:00.000Z',
    to: '2026-03-06T00:00:00.000Z',
  })
})
