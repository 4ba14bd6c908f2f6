import MarkdownIt, { type StateCore, type Token } from 'markdown-it'
import type { Page } from '../page.ts'
import { createSlugs } from './headings.ts'
import type { Places } from './links.ts'
import { drawPicture } from './picture.ts'
import { type Names, relink } from './relink.ts'

/** What is known while a page is rendered: Eleventy hands a template's data on. */
export interface Rendering {
  readonly site: Page
}

/** Markdown as the project writes it, with links within the site. */
export function createMarkdown(places: Places, names: Names): MarkdownIt {
  const md = new MarkdownIt({ html: true })
  md.core.ruler.push('headings', nameHeadings)
  md.core.ruler.push('heads', dropEmptyHeads)
  md.core.ruler.push('links', (state) => {
    const { site } = state.env as Rendering
    for (const token of state.tokens)
      if (token.children) token.children = relink(token.children, site, places, names, state)
  })
  const { rules } = md.renderer
  const { fence } = rules
  rules.fence = (tokens, index, options, env, self) => {
    const { info, content, map } = tokens[index]!
    if (info === 'mermaid') return drawPicture(content, `picture-${map?.[0] ?? 0}`)
    return fence!(tokens, index, options, env, self).replace('<pre>', '<pre tabindex="0">')
  }
  rules.table_open = () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
  rules.table_close = () => '</table></div>\n'
  rules.html_block = (tokens, index) => withoutRemarks(tokens[index]!.content)
  rules.html_inline = (tokens, index) => withoutRemarks(tokens[index]!.content)
  return md
}

/** Remarks above blocks are for the tests that run them. */
function withoutRemarks(html: string): string {
  return html.replace(/<!--[\s\S]*?-->\s*/g, '')
}

function nameHeadings({ tokens }: StateCore): void {
  const slugOf = createSlugs()
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    token.attrSet('id', slugOf(textOf(tokens[index + 1]!)))
  }
}

function textOf({ children }: Token): string {
  return (children ?? [])
    .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : ''))
    .join('')
}

/** Markdown has no table without a head; an empty one tells somebody who listens to the page nothing. */
function dropEmptyHeads(state: StateCore): void {
  const starts = state.tokens.flatMap(({ type }, index) => (type === 'thead_open' ? [index] : []))
  for (const start of starts.reverse()) {
    const end = state.tokens.findIndex(({ type }, index) => index > start && type === 'thead_close')
    const head = state.tokens.slice(start, end + 1)
    if (head.every(({ type, content }) => type !== 'inline' || content === ''))
      state.tokens.splice(start, head.length)
  }
}
