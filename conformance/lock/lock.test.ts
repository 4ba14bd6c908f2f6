import { expect, test } from 'vitest'
import { isProvisional, type Lock, lock, whyUnknown } from './lock.ts'
import { updateLock } from './update.ts'

const before: Lock = {
  version: '1.2.0',
  scenarios: { 'a/first': '1.0.0', 'a/new': '1.2.0', 'a/old': '1.1.0' },
  retired: { 'a/gone': { in: '1.1.0', by: 'a/new' } },
}
const ids = Object.keys(before.scenarios)

test('a scenario is provisional for the whole of the minor version in which it came', () => {
  const provisionalIn = (version: string) => ids.filter((id) => isProvisional(id, { ...before, version }))
  expect(provisionalIn('1.1.9')).toEqual(['a/old'])
  expect(provisionalIn('1.2.0')).toEqual(['a/new'])
  expect(provisionalIn('1.2.7')).toEqual(['a/new'])
  expect(provisionalIn('1.3.0')).toEqual([])
  expect(provisionalIn('2.2.0')).toEqual([])
})

test('what came with a major version counts at once, and so does what stands in no lock', () => {
  expect(isProvisional('a/first', { ...before, version: '1.0.0' })).toBe(false)
  expect(isProvisional('a/unknown', before)).toBe(false)
})

test('a new scenario comes under the coming version, and the others keep theirs', () => {
  expect(updateLock(before, [...ids, 'a/b'])).toEqual({
    lock: { ...before, scenarios: { ...before.scenarios, 'a/b': '1.2.0' } },
  })
  expect(updateLock(before, ids)).toEqual({ lock: before })
})

const { 'a/old': _, ...without } = before.scenarios
const retire = (one: Lock['retired'][string]) => ({ ...before.retired, 'a/old': one })

test.each<[string, Lock, readonly string[], RegExp]>([
  ['a scenario that vanished', before, Object.keys(without), /^a\/old is no more/],
  ['an id that comes again', before, [...ids, 'a/gone'], /^a\/gone was retired, and no other/],
  [
    'one in whose place there is none',
    { ...before, scenarios: without, retired: retire({ in: '1.2.0', by: 'a/nobody' }) },
    Object.keys(without),
    /^a\/old was retired for a\/nobody/,
  ],
  ['one that came in the future', { ...before, version: '1.1.3' }, ids, /^a\/new names version 1\.2\.0/],
])('the lock refuses %s', (_, own, found, problem) => {
  expect(updateLock(own, found)).toEqual({ problems: [expect.stringMatching(problem)] })
})

test('a scenario that is retired may go, also where its line was left', () => {
  const retired = retire({ in: '1.2.0' })
  const after = { lock: { ...before, scenarios: without, retired } }
  expect(updateLock({ ...before, retired }, Object.keys(without))).toEqual(after)
  expect(updateLock({ ...before, scenarios: without, retired }, Object.keys(without))).toEqual(after)
})

test('whoever names a scenario that is no more hears which one is in its place', () => {
  expect(whyUnknown('a/gone', before)).toBe('names a/gone, which was retired in 1.1.0; a/new is in its place')
  expect(whyUnknown('a/nobody', before)).toBe('names a/nobody, and there is no such scenario')
  expect(whyUnknown('a/old', before)).toBeUndefined()
})

test('the suite has a version of its own, and every id of the lock is known by it', () => {
  expect(lock.version).toMatch(/^\d+\.\d+\.\d+$/)
  expect(Object.keys(lock.scenarios).length).toBeGreaterThan(300)
})
