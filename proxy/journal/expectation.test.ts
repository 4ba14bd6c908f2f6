import { expect, test } from 'vitest'
import { expectation } from '#egress/testing/admissions.ts'
import { compilePolicy } from '../policy/cel.ts'
import { areEqual } from './expectation.ts'

test('two expectations are equal when they say the same, policies by their text', () => {
  const policies = () => [compilePolicy('named', 'hostname == "router.example"')]
  const one = { ...expectation, policies: policies() }
  const again = { ...expectation, policies: policies() }
  expect(areEqual(one, again)).toBe(true)
  const [root] = expectation.roots
  const guest = {
    tee: 'snp',
    product: 'Genoa',
    measurement: 'ab'.repeat(48),
    minimumTcb: { bootloader: 1, tee: 0, snp: 2, microcode: 3 },
  } as const
  const attested = (...demanded: (typeof guest)[]) => ({ roots: [{ ...root!, attested: demanded }] })
  expect(areEqual({ ...one, ...attested(guest) }, { ...again, ...attested({ ...guest }) })).toBe(true)
  expect(areEqual({ ...one, ...attested(guest) }, { ...again, ...attested(guest, guest) })).toBe(false)
  expect(areEqual(one, { ...again, ...attested(guest) })).toBe(false)
  for (const change of [{ pins: [] }, { roots: [] }, { policies: [] }, { maxBundleAgeMs: 2 }])
    expect(areEqual(one, { ...again, ...change })).toBe(false)
})
