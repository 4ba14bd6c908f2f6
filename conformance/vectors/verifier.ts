import type { Vector, VerifierAnswer, VerifierCapabilities } from '#contract/models'
import { isVerifierAnswer } from '#contract/validators/verifier-answer'
import { isVerifierCapabilities } from '#contract/validators/verifier-capabilities'
import { requestOf } from './corpus.ts'
import type { Reply } from './judge.ts'
import { runLines, runOnce } from './process.ts'

/** The exit code of each outcome (conformance/vectors/README.md). */
const EXIT: Readonly<Record<VerifierAnswer['outcome'], number>> = {
  accept: 0,
  reject: 10,
  unsupported: 20,
  malformed: 30,
  internal: 1,
}

/** Asks a verifier what it can do; throws when it does not say. */
export async function askCapabilities(command: string): Promise<VerifierCapabilities> {
  const { code, output } = await runOnce(`${command} capabilities`, '')
  const said = parse(output)
  if (code === 0 && isVerifierCapabilities(said)) return said
  throw new Error(`"${command} capabilities" does not say what it can do (exit ${code}).`)
}

/** Asks it about every vector, in one process when it can; tells each reply as it comes. */
export async function askAll(
  command: string,
  vectors: readonly Vector[],
  { capabilities }: VerifierCapabilities,
  onReply: (vector: Vector, reply: Reply) => void,
): Promise<void> {
  if (capabilities.includes('batch')) return askBatch(command, vectors, onReply)
  for (const vector of vectors) onReply(vector, await askOne(command, vector))
}

/** Asks about one vector in a process of its own: its answer and its exit code must agree. */
export async function askOne(command: string, vector: Vector): Promise<Reply> {
  const { code, output } = await runOnce(`${command} verify`, JSON.stringify(requestOf(vector)))
  const answer = parse(output)
  if (!isVerifierAnswer(answer)) return { failure: `no answer, exit ${code}` }
  if (answer.id !== vector.id) return { failure: `an answer to ${answer.id}` }
  if (code !== EXIT[answer.outcome]) return { failure: `answered ${answer.outcome}, but exit ${code}` }
  return answer
}

async function askBatch(
  command: string,
  vectors: readonly Vector[],
  onReply: (vector: Vector, reply: Reply) => void,
): Promise<void> {
  const open = new Map(vectors.map((vector) => [vector.id, vector]))
  const { code } = await runLines(`${command} verify --batch`, linesOf(vectors), (line) => {
    const answer = parse(line)
    if (!isVerifierAnswer(answer)) return
    const vector = open.get(answer.id)
    open.delete(answer.id)
    if (vector) onReply(vector, answer)
  })
  for (const vector of open.values()) onReply(vector, { failure: `no answer, exit ${code}` })
}

function* linesOf(vectors: readonly Vector[]): Generator<string> {
  for (const vector of vectors) yield JSON.stringify(requestOf(vector))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
