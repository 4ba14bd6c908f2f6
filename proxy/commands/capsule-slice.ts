import type { EvidenceCapsule } from '#contract/models'
import type { Line, LineOf, Link } from '../journal/line.ts'
import { examineJournal, findDamage } from '../journal/verify.ts'

type SliceLine = EvidenceCapsule['journal']['lines'][number]

/** The lines of a journal that are about one generation. */
export interface Slice {
  readonly line: LineOf<'generation'>
  /** The endpoint's admission, if it is there, and the generation: nothing of what else went on. */
  readonly lines: readonly SliceLine[]
  /** The end of the journal as it is now. */
  readonly head: Link
}

/** Finds a generation in a journal that holds; throws when it is not there, or when the journal does not hold. */
export async function findSlice(file: string, generation: string): Promise<Slice> {
  const admissions = new Map<string, SliceLine>()
  let found: Omit<Slice, 'head'> | undefined
  const examined = await examineJournal(file, {
    onLine(line, text) {
      const here = { number: line.seq, text }
      if (line.kind === 'verdict' && line.state === 'admitted')
        admissions.set(keyOf(line.endpoint, line), here)
      if (line.kind !== 'generation' || line.id !== generation) return
      const admission = admissions.get(keyOf(line.endpoint, line.verdict))
      found = { line, lines: admission === undefined ? [here] : [admission, here] }
    },
  })
  const { head } = examined
  const fault = findDamage(examined)
  if (fault !== undefined) {
    throw new Error(
      `The journal ${file} does not hold: ${fault.message} \`proxy journal verify\` tells more.`,
    )
  }
  if (found !== undefined && head !== undefined) return { ...found, head }
  throw new Error(`${generation} is not in the journal ${file}: it did not come through this proxy.`)
}

type Admitting = Pick<Extract<Line, { kind: 'verdict' }>, 'evidence_digest' | 'cert_fingerprint'>

/** A verdict that is only renewed has no line of its own: the same deployment and certificate are admitted by the first. */
function keyOf(endpoint: string, { evidence_digest, cert_fingerprint }: Admitting): string {
  return `${endpoint} ${evidence_digest} ${cert_fingerprint}`
}
