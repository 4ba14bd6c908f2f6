import { expect, test } from 'vitest'
import { digestOf, type TrustedRoot } from '#attestation'
import { admissionOf, passed } from '#egress/testing/admissions.ts'
import { HOSTNAME } from '#egress/testing/identity.ts'
import { attestUnder, type Expected, findObjection, replaceExpected } from './approval.ts'
import { Bases } from './journal/basis.ts'
import { openEvidence } from './journal/evidence.ts'
import { expectationDocument, type WrittenApproval } from './journal/expectation.ts'
import { silent } from './log.ts'
import { compilePolicy } from './policy/cel.ts'
import { temporaryFolder } from './testing/programs.ts'

const root: TrustedRoot = { der: Uint8Array.of(1), fingerprint: digestOf('root'), requireLeafName: true }
const approval: WrittenApproval = {
  target: { hostname: HOSTNAME, host: HOSTNAME, port: 443 },
  roots: [root],
  pins: [digestOf('snapshot'), digestOf('next')],
  policies: [compilePolicy('named', `hostname == "${HOSTNAME}"`)],
  maxBundleAgeMs: 1,
}
const admission = admissionOf(digestOf('leaf'))
const unpinned: WrittenApproval = { ...approval, pins: [digestOf('next')] }

test.each<[string, Partial<Expected>, string | undefined]>([
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

test('an approval is replaced as a whole, and only by one that says something else', () => {
  const again = { ...approval, policies: [compilePolicy('named', `hostname == "${HOSTNAME}"`)] }
  expect(replaceExpected(approval, again)).toBeUndefined()
  const after = replaceExpected(approval, { ...again, pins: [], maxBundleAgeMs: 2 })
  expect(after).toMatchObject({ target: approval.target, pins: [], maxBundleAgeMs: 2 })
})

test('a check that the approval changed under is made again under the new one', async () => {
  let current = approval
  const judged: WrittenApproval[] = []
  const attest = attestUnder(
    () => current,
    (under) => async () => {
      judged.push(under)
      current = unpinned
      return passed(digestOf('leaf'))
    },
  )
  await attest(undefined, new AbortController().signal)
  expect(judged).toEqual([approval, unpinned])
})

test('what a generation rests on is what its verdict was given under, though the file has changed since', async () => {
  let current = approval
  const evidence = openEvidence(temporaryFolder())
  const now = () => new Date('2030-01-01T00:00:00Z')
  const bases = new Bases({ endpoint: 'main', approval: () => current, evidence, log: silent, now })
  const outcome = passed(digestOf('leaf'))
  await bases.watching(async () => outcome)(undefined, new AbortController().signal)
  current = unpinned
  if (outcome.kind !== 'passed') throw new Error('not passed')
  const kept = evidence.find(bases.of(outcome.admission).expectation_digest as never)
  expect(JSON.parse(String(kept))).toEqual(expectationDocument(approval))
})
