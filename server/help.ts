import type { ApiError } from './errors.ts'

/** Headers that lead from an error to the pages that explain it; none where nobody publishes them (HDR-16). */
export type Help = (error: Pick<ApiError, 'code' | 'verdict'>) => Readonly<Record<string, string>>

const NONE: Readonly<Record<string, string>> = {}

/** For whoever answers where there is no site. */
export const noHelp: Help = () => NONE

/** The site is asked for at each error: a reload may name another. It has no slash at its end. */
export function createHelp(site: () => string | undefined): Help {
  return ({ code, verdict }) => {
    const address = site()
    if (address === undefined) return NONE
    const pages = [`errors/${code}.html`]
    // The same findings of an upstream have the same pages.
    if (verdict) pages.push(`reasons/${verdict.stage.replace(/^upstream-/, '')}/${verdict.reason}.html`)
    return { Link: pages.map((page) => `<${address}/${page}>; rel="help"`).join(', ') }
  }
}
