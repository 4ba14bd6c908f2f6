import { expect, test, vi } from 'vitest'
import { keepBody } from './kept-body.ts'

test('a body is there until it is let go of, which is told once', () => {
  const onGone = vi.fn()
  const body = keepBody(Buffer.from('{}'), onGone)
  expect(body.bytes.toString()).toBe('{}')
  expect(onGone).not.toHaveBeenCalled()
  body.letGo()
  body.letGo()
  expect(body.bytes).toHaveLength(0)
  expect(onGone).toHaveBeenCalledOnce()
})
