import { digestOf } from '../../digest.ts'
import type { Policy } from '../../policy.ts'
import { TLS_FINGERPRINT } from '../evidence.ts'
import type { Refusals } from './table.ts'

/** Connections that the evidence is not about. */
export const bindingRefusals: Refusals = {
  leaf_mismatch: {
    'another connection': () => ({ expected: { observedLeaf: digestOf('another certificate') } }),
  },
  leaf_not_observed: { 'a connection that nobody saw': () => ({ expected: { observedLeaf: undefined } }) },
}

/** Deployments that are genuine, but not approved. */
export const policyRefusals: Refusals = {
  no_pins: { 'no pins': () => ({ expected: { pins: [] } }) },
  digest_not_pinned: { 'another pin': () => ({ expected: { pins: [TLS_FINGERPRINT] } }) },
  policy_refused: {
    'a policy that says no': () => ({ expected: { policies: [policy(() => true), policy(() => false)] } }),
  },
  policy_failed: { 'a policy that throws': () => ({ expected: { policies: [policy(fail)] } }) },
}

function policy(allows: Policy['allows']): Policy {
  return { name: 'test', allow: '', allows }
}

function fail(): never {
  throw new Error('no such member')
}
