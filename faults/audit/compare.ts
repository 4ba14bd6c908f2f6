import type { Sighting } from '../load/sighting.ts'
import type { Recorded } from './records.ts'
import { type Violation, violationsOf } from './violation.ts'

/** What the records and the clients say of the same requests. */
export interface Comparison {
  readonly violations: readonly Violation[]
  /** Told of an error, on record as `ok`: as docs/known-gaps.md says of a commit whose answer is lost. */
  readonly knownGaps: number
  /** The same where a part before the router told of the error: the router had answered. */
  readonly lostBeyond: number
  /** On record as `ok`, and its connection was lost before its end came: nobody can tell one from the other. */
  readonly unseenEnds: number
}

/** What may excuse a record that says `ok` of what its client was told failed. */
export interface Excuses {
  /** Whether the router was killed between the request and now. */
  wasKilled(sighting: Sighting): boolean
  /** Whether something before the router broke between the request and now. */
  wasCutOff(sighting: Sighting): boolean
}

/** Compares what clients saw with what is on record; `seen` are all of the run. */
export function compare(
  seen: readonly Sighting[],
  records: ReadonlyMap<string, Recorded>,
  excuses: Excuses,
): Comparison {
  const details: string[] = []
  const falseOks: string[] = []
  const counts = { knownGaps: 0, lostBeyond: 0, unseenEnds: 0 }
  const seenIds = new Set<string>()
  for (const sighting of seen) {
    const { generationId: id, ending } = sighting
    if (id === undefined) {
      if (ending === 'whole') details.push(`${nameOf(sighting)} was answered whole without a generation id`)
      continue
    }
    if (seenIds.has(id)) details.push(`${id} is the id of two requests`)
    seenIds.add(id)
    const record = records.get(id)
    if (record === undefined) details.push(`${nameOf(sighting)} ended as ${ending} and is not on record`)
    else if (ending === 'whole') details.push(...differences(sighting, record))
    else if (ending === 'cut' && record.status === 'ok') counts.unseenEnds += 1
    else if (ending === 'told' && record.status === 'ok') {
      if (excuses.wasCutOff(sighting)) counts.lostBeyond += 1
      else if (excuses.wasKilled(sighting)) counts.knownGaps += 1
      else falseOks.push(`${nameOf(sighting)} was told ${sighting.code} and is on record as ok`)
    }
  }
  const unseen = [...records.keys()].filter((id) => !seenIds.has(id)).length
  const without = seen.filter(mayHaveBeenAccepted).length
  if (unseen > without)
    details.push(`${unseen} records are of no request that was seen; ${without} requests saw no id`)
  const violations = [...violationsOf('records', details), ...violationsOf('false-ok', falseOks)]
  return { violations, ...counts }
}

/** A sound request that came to no id: it may be one of the records that nobody saw. */
function mayHaveBeenAccepted({ generationId, form, ending, status }: Sighting): boolean {
  const isRefused = ending === 'told' && status >= 400 && status < 500
  return generationId === undefined && form === 'sound' && !isRefused
}

function differences(sighting: Sighting, record: Recorded): string[] {
  const { usage } = sighting
  const name = nameOf(sighting)
  if (record.status !== 'ok') return [`${name} was answered whole and is on record as ${record.status}`]
  if (usage === undefined) return [`${name} was answered whole without a usage`]
  const told = [usage.promptTokens, usage.completionTokens, usage.costMicros]
  const kept = [record.promptTokens, record.completionTokens, record.costMicros]
  return told.join() === kept.join()
    ? []
    : [`${name} was told ${told.join('/')}, on record are ${kept.join('/')}`]
}

function nameOf({ nonce, way, generationId }: Sighting): string {
  return `request ${nonce} by ${way} (${generationId ?? 'no id'})`
}
