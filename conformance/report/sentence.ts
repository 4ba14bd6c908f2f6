import { visible } from '#base/foreign-text.ts'
import type { ConformanceResults, ProfileResult } from '#contract/models'
import { filterOf } from './selected.ts'

/** What somebody may say of a product, a sentence for each of its roles; of a run of a part it names that part. */
export function sentencesOf(results: ConformanceResults): readonly string[] {
  const { product, suite, profiles } = results
  const name = visible([product.name, product.version].filter(Boolean).join(' '))
  const filter = filterOf(results)
  return profiles.map((profile) => {
    const { given } = profile
    const [kept, told] = [given.rules_kept, toldIn(given)]
    const which = filter === undefined ? '' : ` that ${filter} selects`
    const rules =
      given.rules_untold.length === 0
        ? `${kept} of ${told} given rules${which}${othersOf(given)}`
        : `${kept} of the ${told} given rules${which} that were told${othersOf(given)}`
    const part = filter === undefined ? '' : '; the others were not judged'
    return `${name} keeps ${rules} (${profile.profile}, suite ${visible(suite.version)}${withoutOf(profile)}${part}).`
  })
}

/** What is not kept is not all broken: each kind is named where there is one. */
function othersOf({ rules_broken, rules_partly, rules_untold }: ProfileResult['given']): string {
  const kinds = [
    [rules_broken, (count: number) => `breaks ${count}`],
    [rules_partly, (count: number) => `${count} ${count === 1 ? 'is' : 'are'} partly shown`],
    [rules_untold, (count: number) => `${count} ${count === 1 ? 'is' : 'are'} untold`],
  ] as const
  return kinds.map(([rules, tell]) => (rules.length === 0 ? '' : `, ${tell(rules.length)}`)).join('')
}

/** What stands behind a verdict: `, without embeddings`; nothing where nothing is left out. */
export function withoutOf({ without }: Pick<ProfileResult, 'without'>): string {
  return without.length > 0 ? `, without ${without.join(' and ')}` : ''
}

/** How many are kept of those that something was told of, and how many are untold. */
export function countOf({ given }: Pick<ProfileResult, 'given'>): string {
  const missing = given.rules_untold.length
  return `${given.rules_kept} of ${toldIn(given)}${missing > 0 ? ` told, ${missing} untold` : ''}`
}

function toldIn({ rules_kept: kept, rules_broken: broken, rules_partly: partly }: ProfileResult['given']) {
  return kept + broken.length + partly.length
}
