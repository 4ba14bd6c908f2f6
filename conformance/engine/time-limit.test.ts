import { expect, test } from 'vitest'
import { AssertionError } from './assert.ts'
import type { Call } from './http/call.ts'
import { OutOfTime } from './time-limit.ts'

const call = (endMs: number, isOver: boolean) => ({ isOver, exchange: { endMs } }) as Call
const polls = Array.from({ length: 40 }, () => call(10, true))

test.each([
  ['it was mostly waited for answers', [call(300, true), call(300, true)], true],
  ['an answer hangs', [...polls, call(100, false)], true],
  ['an answer was just asked for', [...polls, call(10, false)], false],
  ['all answers came soon', polls, false],
  ['there were many of them', [...polls, ...polls, ...polls], false],
  ['nothing was asked for', [], false],
])('of a scenario whose time is up while %s', (_, calls, isProducts) => {
  const blamed = new OutOfTime(1_000).blame(calls)
  expect(blamed).toBeInstanceOf(isProducts ? AssertionError : OutOfTime)
})
