import type { Outcome } from './episodes.ts'
import type { Options } from './options.ts'

/** What a run prints with `--json`. */
export interface Report {
  readonly kept: boolean
  readonly seed: number
  readonly minutes: number
  readonly episodes: number
  /** Planted, by kind and by whom; `missed` could not be planted when their time came. */
  readonly faults: Readonly<Record<string, number>>
  readonly missed: number
  /** By how they ended, and by what they were. */
  readonly requests: Readonly<Record<string, number>>
  readonly endings: Readonly<Record<string, number>>
  readonly codes: Readonly<Record<string, number>>
  readonly records: number
  readonly known_gaps: number
  readonly lost_beyond_router: number
  readonly unseen_ends: number
  readonly occupied: Readonly<Record<string, { readonly rss_bytes: number; readonly handles: number }>>
  readonly violations: readonly {
    readonly episode: number
    readonly check: string
    readonly detail: string
  }[]
  /** What plays the episode of the first violation again. */
  readonly replay: string | undefined
}

/** Counts what a run saw. */
export function reportOf(outcome: Outcome, options: Options): Report {
  const { sightings, happened, found, audit, occupied, episodes } = outcome
  const planted = happened.filter(({ missed }) => missed === undefined)
  return {
    kept: found.length === 0,
    seed: options.seed,
    minutes: options.minutes,
    episodes,
    faults: count(planted.map(({ fault: { kind, subject } }) => `${kind} ${subject.replace(/-\d$/, '')}`)),
    missed: happened.length - planted.length,
    requests: count(sightings.map(kindOf)),
    endings: count(sightings.map(({ ending }) => ending)),
    codes: count(sightings.flatMap(({ code, ending }) => (ending === 'told' ? [code ?? 'none'] : []))),
    records: audit?.records ?? 0,
    known_gaps: audit?.knownGaps ?? 0,
    lost_beyond_router: audit?.lostBeyond ?? 0,
    unseen_ends: audit?.unseenEnds ?? 0,
    occupied: Object.fromEntries(
      [...occupied].map(([name, { rssBytes, handles }]) => [name, { rss_bytes: rssBytes, handles }]),
    ),
    violations: found,
    replay: found[0] && replayOf(options, found[0].episode),
  }
}

/** The report for people. */
export function linesOf(report: Report): string[] {
  const { faults, missed, requests, endings, codes, records, violations, replay } = report
  return [
    `${report.episodes} episodes, ${sum(faults)} faults (${missed} more were not possible when their time came):`,
    ...table(faults),
    `${sum(requests)} requests, ${records} records:`,
    ...table(requests),
    'They ended, for their clients:',
    ...table(endings),
    'They were told of:',
    ...table(codes),
    `${report.unseen_ends} ends were on record and never came, as their connection was lost first;`,
    `${report.lost_beyond_router} more were told of an error by what stands before the router;`,
    `${report.known_gaps} were told of an error by a router that was killed before it could correct the record (docs/known-gaps.md).`,
    ...violations.map(({ episode, check, detail }) => `VIOLATION in episode ${episode}, ${check}: ${detail}`),
    ...(replay === undefined ? [] : [`Play it again: ${replay}`]),
    report.kept ? 'Everything agrees.' : 'NOT EVERYTHING AGREES.',
  ]
}

function replayOf({ seed, routers, clients, breakName, failover }: Options, episode: number): string {
  const planted = breakName === undefined ? '' : ` --break ${breakName}`
  const phase = failover ? ' --failover' : ''
  return `npm run faults -- --seed ${seed} --episode ${episode} --routers ${routers} --clients ${clients}${phase}${planted}`
}

function kindOf({ form, manner, habit, streamed }: Outcome['sightings'][number]): string {
  if (form !== 'sound') return form
  return `${manner} ${streamed ? 'streamed' : 'whole'}, client ${habit}`
}

function count(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, one) => total + one, 0)
}

function table(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).map(([name, one]) => `  ${String(one).padStart(6)}  ${name}`)
}
