import { digestOf } from '#attestation'
import type { EvidenceCapsule, Generation } from '#contract/models'
import type { components } from '#contract/types'
import { isGeneration } from '#contract/validators/generation'
import { expectationBytes } from '../journal/expectation.ts'
import { hashOf, type Line, type LineOf, parseLine } from '../journal/line.ts'
import { claimsOf, isReadable } from './capsule-claims.ts'
import { compareGeneration } from './reconcile-compare.ts'

/** How one part of a capsule goes with the others. */
export type Part = components['schemas']['CapsulePart']

type Check = (parsed: Parsed) => boolean | null

interface Parsed {
  readonly capsule: EvidenceCapsule
  readonly lines: readonly (Line | undefined)[]
  readonly line: LineOf<'generation'> | undefined
  readonly record: Generation | undefined
}

const checks: Readonly<Record<Part['part'], Check>> = {
  expectation: ({ capsule }) => isReadable(claimsOf(capsule)),
  journal_lines: areLinked,
  generation: ({ capsule, line }) => line?.id === capsule.generation,
  bundle_digest: ({ capsule, line }) => digestOf(bundleOf(capsule)) === line?.verdict.bundle_digest,
  expectation_digest: ({ capsule, line }) =>
    digestOf(expectationBytes(capsule.expectation)) === line?.verdict.expectation_digest,
  basis: isBasis,
  admission: isAdmitted,
  record: tellsTheSame,
  ledger: isDebited,
}

/** Compares each part of a capsule with the others: true, false, or null where there is nothing to compare. */
export function comparePartsOf(capsule: EvidenceCapsule): Part[] {
  const lines = capsule.journal.lines.map(({ text }) => parseLine(text))
  const last = lines.at(-1)
  const record = capsule.record ?? undefined
  const parsed: Parsed = {
    capsule,
    lines,
    line: last?.kind === 'generation' ? last : undefined,
    record: isGeneration(record) ? record : undefined,
  }
  return Object.entries(checks).map(([part, check]) => ({
    part: part as Part['part'],
    holds: attempt(check, parsed),
  }))
}

/** What cannot even be compared does not go together: a capsule may hold anything. */
function attempt(check: Check, parsed: Parsed): boolean | null {
  try {
    return check(parsed)
  } catch {
    return false
  }
}

/** The bundle's bytes as they were published. */
export function bundleOf({ bundle }: EvidenceCapsule): Buffer {
  return Buffer.from(bundle, 'base64')
}

/** Lines that stand next to each other are linked; the head is that of the last line, or of a later one. */
function areLinked({ capsule: { journal }, lines }: Parsed): boolean {
  const { head } = journal
  return journal.lines.every(({ number, text }, index) => {
    const line = lines[index]
    const before = journal.lines[index - 1]
    if (line?.seq !== number || number > head.count) return false
    if (number === head.count && hashOf(text) !== head.hash) return false
    if (before === undefined) return true
    return before.number < number && (before.number + 1 < number || line.prev === hashOf(before.text))
  })
}

function isBasis({ capsule: { judged_at, observed_leaf }, line }: Parsed): boolean {
  return judged_at === line?.verdict.judged_at && observed_leaf === line.verdict.cert_fingerprint
}

function isAdmitted({ capsule, lines, line }: Parsed): boolean | null {
  const [first, ...others] = lines
  if (others.length === 0) return null
  return (
    first?.kind === 'verdict' &&
    first.state === 'admitted' &&
    first.endpoint === line?.endpoint &&
    first.hostname === capsule.expectation.hostname &&
    first.evidence_digest === line.verdict.evidence_digest &&
    first.cert_fingerprint === line.verdict.cert_fingerprint
  )
}

function tellsTheSame({ capsule, line, record }: Parsed): boolean | null {
  if (capsule.record === null) return null
  if (record === undefined || line === undefined || record.id !== line.id) return false
  const beside: readonly string[] = ['no_price', 'ledger_amount']
  return compareGeneration(line, { record, price: undefined }).every(({ check }) => beside.includes(check))
}

function isDebited({ capsule, record }: Parsed): boolean | null {
  if (capsule.record === null) return null
  return record !== undefined && BigInt(record.ledger.amount_micros) === -BigInt(record.cost_micros)
}
