import { expect, test } from 'vitest'
import { AttestationError } from '#attestation'
import { reasons } from '#contract/reasons'
import { Refused } from '#egress/refused.ts'
import { bodyOf, refusalOf } from './refusal.ts'

const grounds = Object.entries(reasons).flatMap(([stage, entries]) =>
  Object.entries(entries).map(([reason, { meaning, remedy }]) => {
    const ground = new AttestationError(...([stage, reason] as unknown as ['policy', 'no_pins']))
    return { ground, words: `${meaning} ${remedy}` }
  }),
)

test('a refusal for want of a verdict says what the reason means and what mends it', () => {
  expect(grounds.length).toBeGreaterThan(40)
  for (const { ground, words } of grounds) {
    for (const code of ['attestation_failed', 'attestation_revoked'] as const) {
      const refused = new Refused(code, ground)
      const refusal = refusalOf(refused)
      expect(refusal).toMatchObject({ code, ground, headers: refused.headers })
      expect(refusal.message).toContain(words)
      const { stage, reason } = ground
      expect(JSON.parse(bodyOf(refusal))).toMatchObject({ error: { code }, stage, reason })
    }
  }
})
