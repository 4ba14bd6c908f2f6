import { expect, test } from 'vitest'
import type { Commit } from './repository.ts'
import { nextVersion } from './version.ts'

const commits = (...subjects: readonly string[]): readonly Commit[] =>
  subjects.map((subject) => ({ hash: '0'.repeat(40), subject }))

test.each([
  [undefined, ['feat(spec): begin'], '1.0.0'],
  [undefined, ['fix(spec): mend'], '1.0.0'],
  ['v1.0.0', ['fix(relay): mend', 'docs: tell'], '1.0.1'],
  ['v1.9.3', ['fix(relay): mend', 'feat(proxy): add'], '1.10.0'],
])('after %s, %j is released as %s', (tag, subjects, version) => {
  expect(nextVersion(tag, commits(...subjects))).toBe(version)
})

test.each([
  ['vNext', ['fix: mend'], 'is no version'],
  ['v1.0.0', [], 'Nothing has changed'],
])('after %s, %j is not released', (tag, subjects, words) => {
  expect(() => nextVersion(tag, commits(...subjects))).toThrow(words)
})
