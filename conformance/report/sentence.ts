import { visible } from '#base/foreign-text.ts'
import type { ConformanceResults, ProfileResult } from '#contract/models'

/** What somebody may say of a product, a sentence for each of its roles. */
export function sentencesOf({ product, suite, profiles }: ConformanceResults): readonly string[] {
  const name = visible([product.name, product.version].filter(Boolean).join(' '))
  return profiles.map(
    (profile) =>
      `${name} keeps ${countOf(profile)} given rules (${profile.profile}, suite ${visible(suite.version)}${withoutOf(profile)}).`,
  )
}

/** What stands behind a verdict: `, without embeddings`; nothing where nothing is left out. */
export function withoutOf({ without }: Pick<ProfileResult, 'without'>): string {
  return without.length > 0 ? `, without ${without.join(' and ')}` : ''
}

/** Of those that the suite can tell of: what was not told is not kept. */
export function countOf({ given }: Pick<ProfileResult, 'given'>): string {
  const others = [given.rules_broken, given.rules_partly, given.rules_untold]
  const all = others.reduce((sum, { length }) => sum + length, given.rules_kept)
  return `${given.rules_kept} of ${all}`
}
