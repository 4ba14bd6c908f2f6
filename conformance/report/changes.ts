import type { ConformanceResults, ProfileResult } from '#contract/models'

type RuleResult = ProfileResult['rules'][number]

/** A rule whose state is another than before; null where it was not judged. */
export interface Change extends Pick<RuleResult, 'id' | 'origin' | 'section' | 'text'> {
  readonly profile: ProfileResult['profile']
  readonly before: RuleResult['state'] | null
  readonly after: RuleResult['state'] | null
  /** The check that says so, of a rule that is broken now. */
  readonly problem: string | null
}

/** What differs between two runs, rule by rule, in the order of the catalogue. */
export function changesOf(before: ConformanceResults, after: ConformanceResults): readonly Change[] {
  const profiles = new Set([...before.profiles, ...after.profiles].map(({ profile }) => profile))
  return [...profiles].flatMap((profile) => {
    const [old, now] = [before, after].map((results) => rulesOf(results, profile))
    const ids = new Set([...old!.keys(), ...now!.keys()])
    return [...ids].flatMap((id) => changeOf(profile, old!.get(id), now!.get(id)))
  })
}

/** Whether it is a step back: a rule that was kept is broken or no longer told, or any is newly broken. */
export function isWorse({ before, after }: Change): boolean {
  return after === 'broken' || before === 'kept'
}

function changeOf(
  profile: Change['profile'],
  old: RuleResult | undefined,
  now: RuleResult | undefined,
): readonly Change[] {
  const rule = now ?? old
  if (rule === undefined || old?.state === now?.state) return []
  const { id, origin, section, text } = rule
  const [broken] = now?.broken_by ?? []
  const problem = broken ? `${broken.scenario}: ${broken.problem}` : null
  return [
    { profile, id, origin, section, text, before: old?.state ?? null, after: now?.state ?? null, problem },
  ]
}

function rulesOf({ profiles }: ConformanceResults, wanted: string): ReadonlyMap<string, RuleResult> {
  const own = profiles.find(({ profile }) => profile === wanted)
  return new Map((own?.rules ?? []).map((rule) => [rule.id, rule]))
}
