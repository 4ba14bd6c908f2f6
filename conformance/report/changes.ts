import type { ConformanceResults, ProfileResult } from '#contract/models'
import { filterOf } from './selected.ts'

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

/** Whether it is a step back for certain: a rule was kept and is not, or some of it held and it is broken. */
export function isWorse({ before, after }: Change): boolean {
  return before === 'kept' || (before === 'partly' && after === 'broken')
}

/** Whether a rule is broken of which the run before told nothing: it may have been so then. */
export function isNewlySeen({ before, after }: Change): boolean {
  return after === 'broken' && (before === null || before === 'untold')
}

/** What else differs between two runs than the product, a line each: what was asked of it. */
export function differencesOf(before: ConformanceResults, after: ConformanceResults): readonly string[] {
  const [old, now] = [factsOf(before), factsOf(after)]
  return Object.keys(old).flatMap((name) =>
    old[name] === now[name] ? [] : [`${name}: ${old[name] || 'none'} → ${now[name] || 'none'}`],
  )
}

function factsOf({
  product,
  target,
  suite,
  selection,
}: ConformanceResults): Readonly<Record<string, string>> {
  return {
    'the product': product.name,
    'the suite': suite.version,
    'its rules': suite.rules_sha256.slice(0, SHOWN),
    hooks: target.hooks.join(', '),
    features: target.features.join(', '),
    profiles: target.profiles.join(', '),
    claims: target.claims.join(', '),
    mayGenerate: String(target.may_generate),
    'timing.slack': String(target.slack),
    verifier: verifierOf(target),
    'what was selected': filterOf({ selection }) ?? 'all',
    '--slow': String(selection.slow),
  }
}

function verifierOf({ verifier }: ConformanceResults['target']): string {
  if (verifier === undefined) return ''
  return verifier.same_product ? 'the same product' : 'another product'
}

/** So much of a digest tells two apart (ours). */
const SHOWN = 12

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
