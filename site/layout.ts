import { escapeHtml, groups, type Page, wayTo } from './page.ts'

/** What a page may load and call: its own files, and a router on this machine for the forms of the API. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self' http://127.0.0.1:* http://localhost:*",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** A whole document around what was rendered of a page. */
export function layOut(page: Page, content: string, pages: readonly Page[]): string {
  const way = (address: string) => wayTo(page.address, address)
  const isHome = page.address === 'index.html'
  // Pictures take the room of the list beside them, and so does a page that is too short for one.
  const beside = content.includes('class="picture"') ? '' : contents(content)
  const kind = isHome ? ' class="home"' : beside === '' ? ' class="wide"' : ''
  const title = isHome ? page.title : `${page.title} · Confidential Inference Router`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.summary)}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${way('icon.svg')}">
<link rel="stylesheet" href="${way('style.css')}">
<script src="${way('search.js')}" defer></script>
${content.includes('class="try"') ? `<script src="${way('try.js')}" defer></script>\n` : ''}</head>
<body data-root="${way('')}"${kind}>
<a class="skip" href="#content">To the content</a>
<header>
<a class="name" href="${way('index.html')}">Confidential Inference Router</a>
<search><input type="search" placeholder="Search" aria-label="Search" autocomplete="off" spellcheck="false"><ul class="found" hidden></ul></search>
</header>
<div class="frame">
<nav class="menu" aria-label="All pages"><details open><summary>Menu</summary>${menu(page, pages)}</details></nav>
<main id="content">
${content}</main>
${isHome ? '' : beside}</div>
</body>
</html>
`
}

function menu(page: Page, pages: readonly Page[]): string {
  return groups
    .map((group) => {
      const items = pages
        .filter((each) => each.group === group)
        .map(({ address, title }) => {
          const isHere = address === page.address ? ' aria-current="page"' : ''
          return `<li><a href="${wayTo(page.address, address)}"${isHere}>${escapeHtml(title)}</a></li>`
        })
      return `<h2>${group}</h2><ul>${items.join('')}</ul>`
    })
    .join('')
}

const HEADING = /<h2 id="([^"]+)">([\s\S]*?)<\/h2>/g

/** What stands on the page, where that is more than fits a screen. */
function contents(content: string): string {
  const items = [...content.matchAll(HEADING)].map(([, id, html = '']) => {
    return `<li><a href="#${id}">${html.replace(/<[^>]*>/g, '')}</a></li>`
  })
  if (items.length < 3) return ''
  return `<aside class="beside" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></aside>\n`
}
