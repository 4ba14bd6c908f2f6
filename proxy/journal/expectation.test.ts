import { expect, test } from 'vitest'
import { expectation } from '#egress/testing/admissions.ts'
import { compilePolicy } from '../policy/cel.ts'
import { areEqual } from './expectation.ts'

test('two expectations are equal when they say the same, policies by their text', () => {
  const policies = () => [compilePolicy('named', 'hostname == "router.example"')]
  const one = { ...expectation, policies: policies() }
  const again = { ...expectation, policies: policies() }
  expect(areEqual(one, again)).toBe(true)
  for (const change of [{ pins: [] }, { roots: [] }, { policies: [] }, { maxBundleAgeMs: 2 }])
    expect(areEqual(one, { ...again, ...change })).toBe(false)
})
