import { visible } from '#base/foreign-text.ts'
import type { ConformanceResults, ProfileVerdict } from '#contract/models'

type Selected = Pick<ConformanceResults, 'selection'>

/** The options by which a run left scenarios out, as they are typed; undefined for a run of all of them. */
export function filterOf({ selection: { grep, rules, origin } }: Selected): string | undefined {
  const options = [
    ...grep.map((text) => `--grep ${visible(text)}`),
    ...rules.map((rule) => `--rule ${visible(rule)}`),
    ...(origin === null ? [] : [`--origin ${origin}`]),
  ]
  return options.length === 0 ? undefined : options.join(' ')
}

/** What a verdict is called where scenarios were left out: nobody is conformant by a part of the rules. */
const PARTS = { conformant: 'all kept', partial: 'not all shown', failing: 'failing' } as const

/** A verdict as reports say it: of a part of the suite in words of its own. */
export function wordFor(verdict: ProfileVerdict, results: Selected): string {
  return filterOf(results) === undefined ? verdict : PARTS[verdict]
}

/** What stands behind a verdict on a part: `, by what --rule ERR-14 selects alone`; nothing after a run of all. */
export function partOf(results: Selected): string {
  const filter = filterOf(results)
  return filter === undefined ? '' : `, by what ${filter} selects alone, which says nothing of the whole`
}
