import type { ConformanceResults } from '#contract/models'

/** What a report says of the proxy's verifier; undefined where no proxy was judged, or the target names no verifier. */
export function verifierClaim({ target, profiles }: ConformanceResults): string | undefined {
  const isJudged = profiles.some(({ profile }) => profile === 'proxy')
  if (!isJudged || target.verifier === undefined) return undefined
  return target.verifier.same_product
    ? 'The verifier is claimed to be the proxy\u2019s own: what the vectors say of it (verifier/) counts for the proxy.'
    : 'The verifier is said not to be the proxy\u2019s own: the proxy is judged by what it was served alone.'
}
