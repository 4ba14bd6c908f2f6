import type {
  Vector,
  VectorCounts,
  VectorResult,
  VerifierAnswer,
  VerifierCapabilities,
} from '#contract/models'

/** What came back for a vector: an answer, or why there is none. */
export type Reply = VerifierAnswer | { readonly failure: string }

/** Compares a reply with the only right answer. */
export function judgeVector(
  { id, title, rules, expected, needs = [] }: Vector,
  reply: Reply,
  { capabilities }: Pick<VerifierCapabilities, 'capabilities'>,
): VectorResult {
  const right = inWords(wantedOf(expected))
  const lacking = needs.filter((need) => !capabilities.includes(need))
  const actual = lacking.length > 0 ? `not claimed: ${lacking.join(', ')}` : describe(reply)
  const verdict = lacking.length > 0 ? 'not-supported' : verdictOf(expected, reply)
  return { id, title, rules, verdict, expected: right, actual }
}

type Expected = Vector['expected']
type Outcome = Pick<VerifierAnswer, 'outcome' | 'stage' | 'reason'>

function wantedOf({ admitted, stage, reason }: Expected): Outcome {
  const outcome = admitted ? 'accept' : stage === null ? 'malformed' : 'reject'
  return { outcome, stage, reason }
}

function verdictOf(expected: Expected, reply: Reply): VectorResult['verdict'] {
  if ('failure' in reply || reply.outcome === 'internal') return 'error'
  if (reply.outcome === 'unsupported') return 'not-supported'
  if (inWords(reply) === inWords(wantedOf(expected))) return 'pass'
  if (reply.outcome === 'accept') return 'wrongly-admitted'
  return expected.admitted ? 'wrongly-refused' : 'other-ground'
}

function describe(reply: Reply): string {
  if ('failure' in reply) return reply.failure
  return reply.outcome === 'internal' ? `internal: ${reply.message ?? 'no more is said'}` : inWords(reply)
}

function inWords({ outcome, stage, reason }: Outcome): string {
  return outcome === 'reject' ? `reject at ${stage}: ${reason}` : outcome
}

/** How many vectors got which verdict. */
export function countVectors(results: readonly VectorResult[]): VectorCounts {
  const count = (verdict: VectorResult['verdict']) => results.filter((one) => one.verdict === verdict).length
  return {
    pass: count('pass'),
    wrongly_admitted: count('wrongly-admitted'),
    wrongly_refused: count('wrongly-refused'),
    other_ground: count('other-ground'),
    not_supported: count('not-supported'),
    error: count('error'),
  }
}
