import type { Page } from './page.ts'

/** What the search knows of one section of a page. */
export interface Entry {
  readonly address: string
  readonly title: string
  /** The heading of the section; empty at the beginning of a page. */
  readonly heading: string
  readonly text: string
}

const SECTION = /(?=<h[23] id=")/
const HEADING = /^<h[23] id="([^"]+)">([\s\S]*?)<\/h[23]>/

/**
 * Cuts a rendered page into what can be found of it. A page of one rule, reason or error is found as a whole, and the list
 * of the rules by its name alone: each of them is found by its own page.
 */
export function entriesOf({ address, title }: Page, content: string): readonly Entry[] {
  if (address === 'rules/index.html') return [{ address, title, heading: '', text: '' }]
  if (/^(rules|reasons|errors)\//.test(address))
    return [{ address, title, heading: '', text: plain(content) }]
  return content.split(SECTION).map((section) => {
    const [whole = '', id, heading = ''] = HEADING.exec(section) ?? []
    return {
      address: id === undefined ? address : `${address}#${id}`,
      title,
      heading: plain(heading),
      text: plain(section.slice(whole.length).replace(/<(form|svg)[\s\S]*?<\/\1>/g, ' ')),
    }
  })
}

function plain(html: string): string {
  return html
    .replace(/<h1[\s\S]*?<\/h1>/g, ' ')
    .replace(/<\/?(?:br|p|li|td|th|tr|pre|blockquote|div)\b[^>]*>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim()
}
