/**
 * Where a rule is explained: its page on a site of the documents, where `CONFORMANCE_DOCS` names one by an http address. Who
 * publishes none is sent nowhere.
 */
export function pageOf(id: string, site = process.env.CONFORMANCE_DOCS): string | undefined {
  if (!URL.canParse(site ?? '') || !/^https?:/.test(site!)) return undefined
  return `${new URL(site!).href.replace(/\/+$/, '')}/rules/${encodeURIComponent(id)}.html`
}
