import type { Vector } from '#contract/models'
import type { RuleId } from '#contract/rules'
import * as assert from '../engine/assert.ts'
import { shows } from '../engine/checks.ts'
import { expectError, expectStatus } from '../engine/expect.ts'
import { expectGround } from '../engine/refusals.ts'
import { catalogue } from '../engine/rules.ts'
import type { Definition } from '../engine/scenario.ts'
import { judgement, served } from '../engine/served.ts'
import type { Topic } from '../engine/topic.ts'
import { servable } from '../vectors/served/served.ts'

/**
 * Faults without which nothing would be left of "verified": the specification names what they concern. Whether all else
 * is looked at is a choice.
 */
const essential = [
  'fetch/hostname_mismatch',
  'cert-chain/signature_invalid',
  'untrusted-root/root_not_trusted',
  'jws/algorithm_not_allowed',
  'jws/signature_invalid',
  'jws/digest_mismatch',
  'tls-fingerprint/leaf_mismatch',
  'policy/digest_not_pinned',
]

/** Any check that fails is a refusal, and nothing is forwarded. */
const verified = ['PRXY-02', 'PRXY-04'] as const

const [good] = servable.filter(({ expected }) => expected.admitted) as [Vector]

const acquittal: Definition = {
  rules: ['PRXY-02', 'PRXY-05'],
  title: 'In front of an endpoint whose bundle passes every check the proxy forwards, and says allow',
  needs: ['startProxy'],
  subjects: ['proxy'],
  async run(context) {
    const { gateway, ...at } = await served(context, good)
    const answer = await judgement(context, at)
    shows('PRXY-02')
    expectStatus(answer, 200)
    assert.ok(gateway.sent.includes('/v1/models'), 'it is not forwarded as it was sent')
    shows('PRXY-05')
    assert.equal(answer.headers['x-proxy-verdict'], 'allow')
  },
}

/** A request through the proxy is refused on the vector's ground, and nothing of it gets to the endpoint. */
function refusing(vector: Vector): Definition {
  const { stage, reason } = vector.expected
  const own = vector.rules.filter(isOfProxy)
  const broken: readonly RuleId[] = essential.includes(`${stage}/${reason}`) ? [...verified, ...own] : own
  return {
    rules: [...broken, 'VERD-16'],
    title: `A request through the proxy is 503 ${stage}/${reason}: ${vector.title}`,
    needs: ['startProxy', ...(vector.needs?.includes('policies') ? (['feature:policies'] as const) : [])],
    subjects: ['proxy'],
    isNaming: true,
    async run(context) {
      // A proxy that refuses everything has looked at nothing.
      expectStatus(await judgement(context, await served(context, good)), 200)
      const { gateway, before, ...at } = await served(context, vector)
      if (before !== undefined) assert.equal(before, 200, 'a newer bundle was not admitted before')
      const forwarded = gateway.sent.length
      shows(...broken)
      const answer = await judgement(context, at)
      expectError(answer, 'attestation_failed')
      assert.equal(gateway.sent.length, forwarded, 'something was sent on')
      shows(...own, 'VERD-16')
      expectGround(answer, { stage: stage ?? '', reason: reason ?? '' })
    },
  }
}

function isOfProxy(rule: string): rule is RuleId {
  return catalogue[rule as RuleId].subjects.includes('proxy')
}

/** What a verifier is asked by vectors, asked of a running proxy: one for each stage and reason. */
export default {
  admitted: acquittal,
  ...Object.fromEntries(
    servable.filter(({ expected }) => !expected.admitted).map((vector) => [vector.id, refusing(vector)]),
  ),
} satisfies Topic
