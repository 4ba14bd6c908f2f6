import type { StateCore, Token } from 'markdown-it'
import { escapeHtml, type Page, wayTo } from '../page.ts'
import { type Places, resolveLink } from './links.ts'

/** Names in the text that have a page of their own: rules by their id, codes of errors, stages with a reason. */
export type Names = ReadonlyMap<string, string>

const RULE = /(?<![\w/-])[A-Z]{2,4}-\d{2,}(?![\w-])/g

/** Has the links in one run of text lead to pages of the site, and links the names in it that no link surrounds. */
export function relink(
  children: readonly Token[],
  page: Page,
  places: Places,
  names: Names,
  state: StateCore,
): Token[] {
  const html = (content: string) => Object.assign(new state.Token('html_inline', '', 0), { content })
  /** How each link that is open ends. */
  const ends: (Token | undefined)[] = []
  return children.map((token) => {
    if (token.type === 'link_open') {
      const target = resolveLink(String(token.attrGet('href')), page.source, places)
      if (target.kind === 'file') {
        ends.push(html('</span>'))
        return html(`<span class="file" title="${escapeHtml(target.path)}, in the source">`)
      }
      ends.push(undefined)
      if (target.kind === 'page') token.attrSet('href', wayTo(page.address, target.address))
      else token.attrSet('rel', 'noreferrer')
      return token
    }
    if (token.type === 'link_close') return ends.pop() ?? token
    if (ends.length > 0) return token
    if (token.type === 'text') return html(linkRules(token.content, page, names))
    if (token.type === 'code_inline' && names.has(token.content))
      return html(linkTo(token.content, `<code>${escapeHtml(token.content)}</code>`, page, names))
    return token
  })
}

function linkRules(text: string, page: Page, names: Names): string {
  return escapeHtml(text).replace(RULE, (id) => linkTo(id, id, page, names))
}

/** A page does not link to itself. */
function linkTo(name: string, shown: string, page: Page, names: Names): string {
  const address = names.get(name)
  if (address === undefined || address === page.address) return shown
  return `<a href="${wayTo(page.address, address)}">${shown}</a>`
}
