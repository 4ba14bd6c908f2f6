import { performance } from 'node:perf_hooks'
import type { Vector, VectorResult, VerifierResults } from '#contract/models'
import { suiteVersion } from '../lock/lock.ts'
import { readCorpus } from './corpus.ts'
import { countVectors, judgeVector } from './judge.ts'
import { askAll, askCapabilities } from './verifier.ts'

/** What is run, and who watches. */
export interface VectorRun {
  /** The verifier's command line; `capabilities` or `verify` is put behind it. */
  readonly command: string
  /** Text that ids, titles or rules have to hold. */
  readonly grep?: readonly string[] | undefined
  readonly onResult?: (result: VectorResult, total: number) => void
}

/** Puts the vectors to a verifier and judges its answers. */
export async function runVectors({
  command,
  grep,
  onResult = () => {},
}: VectorRun): Promise<VerifierResults> {
  const corpus = readCorpus()
  const vectors = corpus.filter((vector) => holds(vector, grep))
  const startedMs = performance.now()
  const verifier = await askCapabilities(command)
  const results = new Map<string, VectorResult>()
  const isClaimed = ({ needs = [] }: Vector) => needs.every((need) => verifier.capabilities.includes(need))
  const settle = (vector: Vector, reply: Parameters<typeof judgeVector>[1]) => {
    const result = judgeVector(vector, reply, verifier)
    results.set(vector.id, result)
    onResult(result, vectors.length)
  }
  for (const vector of vectors) if (!isClaimed(vector)) settle(vector, { failure: 'not asked' })
  await askAll(command, vectors.filter(isClaimed), verifier, settle)
  const inOrder = vectors.map(({ id }) => results.get(id)!)
  const counts = countVectors(inOrder)
  return {
    version: 1,
    suite: { version: suiteVersion, vectors: corpus.length },
    verifier,
    verdict: verdictOf(counts, vectors.length),
    counts,
    duration_ms: Math.round(performance.now() - startedMs),
    vectors: inOrder,
  }
}

function holds({ id, title, rules }: Vector, grep: readonly string[] = ['']): boolean {
  return [id, title, ...rules].some((text) => grep.some((one) => text.includes(one)))
}

/** The verdict of a run; a vector that was not asked makes it `partial` at best. */
function verdictOf(
  { pass, not_supported: open }: VerifierResults['counts'],
  total: number,
): VerifierResults['verdict'] {
  if (pass + open < total) return 'failing'
  return open > 0 || total === 0 ? 'partial' : 'conformant'
}
