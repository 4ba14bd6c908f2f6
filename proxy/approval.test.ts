import { expect, test } from 'vitest'
import { digestOf, type Expectation, type TrustedRoot } from '#attestation'
import { admissionOf, passed } from '#egress/testing/admissions.ts'
import { HOSTNAME } from '#egress/testing/identity.ts'
import { areEqual, attestUnder, findObjection } from './approval.ts'
import { compilePolicy } from './policy/cel.ts'

const root: TrustedRoot = { der: Uint8Array.of(1), fingerprint: digestOf('root'), requireLeafName: true }
const approval: Expectation = {
  roots: [root],
  pins: [digestOf('snapshot'), digestOf('next')],
  policies: [compilePolicy('named', `hostname == "${HOSTNAME}"`)],
  maxBundleAgeMs: 1,
}
const admission = admissionOf(digestOf('leaf'))
const unpinned: Expectation = { ...approval, pins: [digestOf('next')] }

test.each<[string, Partial<Expectation>, string | undefined]>([
  ['the same', {}, undefined],
  ['another pin less', { pins: [digestOf('snapshot')] }, undefined],
  ['its pin less', { pins: [digestOf('next')] }, 'digest_not_pinned'],
  ['its root less', { roots: [] }, 'root_not_trusted'],
  ['a policy that refuses', { policies: [compilePolicy('p', 'hostname == ""')] }, 'policy_refused'],
  ['a policy that fails', { policies: [compilePolicy('p', 'evidence.absent')] }, 'policy_failed'],
  [
    'a policy that says neither',
    { policies: [{ ...compilePolicy('p', 'true'), allows: () => 'yes' as never }] },
    'policy_failed',
  ],
])('what is admitted is held against the changed file: %s', (_, change, reason) => {
  expect(findObjection(admission, { ...approval, ...change })?.reason).toBe(reason)
})

test('two expectations are equal when they say the same, policies by their text', () => {
  const again = { ...approval, policies: [compilePolicy('named', `hostname == "${HOSTNAME}"`)] }
  expect(areEqual(approval, again)).toBe(true)
  for (const change of [{ pins: [] }, { roots: [] }, { policies: [] }, { maxBundleAgeMs: 2 }])
    expect(areEqual(approval, { ...again, ...change })).toBe(false)
})

test('a check that the approval changed under is made again under the new one', async () => {
  let current = approval
  const judged: Expectation[] = []
  const attest = attestUnder(
    () => current,
    async (under) => {
      judged.push(under)
      current = unpinned
      return passed(digestOf('leaf'))
    },
  )
  await attest(undefined, new AbortController().signal)
  expect(judged).toEqual([approval, unpinned])
})
