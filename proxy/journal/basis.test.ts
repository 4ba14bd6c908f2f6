import { expect, test } from 'vitest'
import { type Digest, digestOf, type Expectation } from '#attestation'
import { admissionOf, basis } from '#egress/testing/admissions.ts'
import { HOSTNAME } from '#egress/testing/identity.ts'
import type { Admitted } from '#egress/verdict/verdict.ts'
import { silent } from '../log.ts'
import { compilePolicy } from '../policy/cel.ts'
import { temporaryFolder } from '../testing/programs.ts'
import { Bases } from './basis.ts'
import { type EvidenceStore, openEvidence } from './evidence.ts'
import { expectationDocument } from './expectation.ts'

const admission = admissionOf(digestOf('leaf'))
const since = { wallMs: 0, monotonicMs: 0 }
const policies = [compilePolicy('named', `hostname == "${HOSTNAME}"`)]

/** A verdict that was given by what is expected but for the change. */
function verdictBy(change: Partial<Expectation>): Admitted {
  const expected = { ...basis.expected, ...change }
  return { state: 'admitted', since, admission, basis: { ...basis, expected } }
}

function basesIn(evidence: EvidenceStore): Bases {
  return new Bases({ endpoint: 'main', hostname: HOSTNAME, evidence, log: silent })
}

test('what a generation rests on is what its verdict was given under, though the file has changed since', () => {
  const evidence = openEvidence(temporaryFolder())
  const bases = basesIn(evidence)
  const [before, after] = [verdictBy({ policies }), verdictBy({ pins: [] })]
  for (const verdict of [before, after, before]) {
    const { bundle_digest, expectation_digest } = bases.keep(verdict)
    expect(evidence.find(bundle_digest as Digest)).toEqual(basis.bytes)
    const kept = evidence.find(expectation_digest as Digest)
    expect(JSON.parse(String(kept))).toEqual(expectationDocument(HOSTNAME, verdict.basis.expected))
  }
})

test('it is kept once for all that goes under a verdict, and what cannot be kept is null', () => {
  let kept = 0
  const full: EvidenceStore = {
    keep() {
      kept += 1
      throw new Error('no space left')
    },
    find: () => undefined,
    list: () => [],
  }
  const bases = basesIn(full)
  const verdict = verdictBy({})
  const line = bases.keep(verdict)
  expect([line.bundle_digest, line.expectation_digest]).toEqual([null, null])
  expect(bases.keep(verdict)).toBe(line)
  expect(kept).toBe(2)
})
