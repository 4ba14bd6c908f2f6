import { expect, test, vi } from 'vitest'
import { membersOf } from '../json/members.ts'
import { keepBody } from './kept-body.ts'

test('a body is there until it is let go of, which is told once', () => {
  const onGone = vi.fn()
  const bytes = Buffer.from('{}')
  const object = { bytes, span: membersOf(bytes) }
  const body = keepBody(object, onGone)
  expect(body.object).toBe(object)
  expect(onGone).not.toHaveBeenCalled()
  body.letGo()
  body.letGo()
  expect(() => body.object).toThrow('let go')
  expect(onGone).toHaveBeenCalledOnce()
})
