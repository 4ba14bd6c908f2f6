import MiniSearch, { type SearchResult } from 'minisearch'
import type { Entry } from '../search-data.ts'

declare global {
  var searchData: readonly Entry[] | undefined
}

const MOST = 12

const root = document.body.dataset.root ?? ''
const field = document.querySelector<HTMLInputElement>('input[type=search]')!
const list = document.querySelector<HTMLUListElement>('.found')!

// A phone has no room for the menu, which a touch opens.
if (matchMedia('(max-width: 60rem)').matches)
  document.querySelector<HTMLDetailsElement>('nav details')!.open = false

let index: Promise<MiniSearch<Entry>> | undefined

field.addEventListener('focus', () => {
  index ??= loadIndex()
})
field.addEventListener('input', () => void show())
field.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') field.value = ''
  if (event.key === 'Escape') void show()
  if (event.key === 'Enter') list.querySelector('a')?.click()
  if (event.key === 'ArrowDown') focusOn(0, event)
})
list.addEventListener('keydown', (event) => {
  const links = [...list.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement as HTMLAnchorElement)
  if (event.key === 'ArrowDown') focusOn(at + 1, event)
  if (event.key === 'ArrowUp') focusOn(at - 1, event)
  if (event.key === 'Escape') field.focus()
})
document.addEventListener('keydown', (event) => {
  const isTyping = (event.target as Element).closest('input, textarea, select')
  if (event.key !== '/' || isTyping) return
  event.preventDefault()
  field.focus()
})
document.addEventListener('click', (event) => {
  if (!(event.target as Element).closest('search')) list.hidden = true
})

function focusOn(at: number, event: Event): void {
  event.preventDefault()
  if (at < 0) field.focus()
  else list.querySelectorAll('a')[at]?.focus()
}

/** A script and no fetch: a page that is opened from a disk may not fetch what lies beside it. */
async function loadIndex(): Promise<MiniSearch<Entry>> {
  const script = document.createElement('script')
  script.src = `${root}search-data.js`
  await new Promise((resolve, reject) => {
    script.addEventListener('load', resolve)
    script.addEventListener('error', reject)
    document.head.append(script)
  })
  const search = new MiniSearch<Entry>({
    idField: 'address',
    fields: ['title', 'heading', 'text'],
    storeFields: ['title', 'heading', 'text'],
    // Names such as `CRED-13`, `tls-fingerprint` and `invalid_api_key` are found whole and by their parts.
    tokenize: (text) => [
      ...(text.match(/[\p{L}\p{N}_-]+/gu) ?? []),
      ...(text.match(/[\p{L}\p{N}]+/gu) ?? []),
    ],
    searchOptions: { boost: { title: 6, heading: 3 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  })
  search.addAll(globalThis.searchData ?? [])
  return search
}

async function show(): Promise<void> {
  const query = field.value.trim()
  index ??= loadIndex()
  const results = query === '' ? [] : (await index).search(query).slice(0, MOST)
  if (query !== field.value.trim()) return
  list.replaceChildren(...(results.length > 0 ? results.map(itemOf) : query === '' ? [] : [nothing(query)]))
  list.hidden = query === ''
}

function itemOf(result: SearchResult): HTMLLIElement {
  const { id, title, heading, text } = result as SearchResult & Entry
  const link = document.createElement('a')
  link.href = `${root}${id}`
  const name = document.createElement('strong')
  name.textContent = heading === '' ? title : `${title} › ${heading}`
  const words = document.createElement('span')
  words.textContent = around(text, result.terms)
  link.append(name, words)
  const item = document.createElement('li')
  item.append(link)
  return item
}

/** The words of a text around the first that was looked for. */
function around(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0)
  const start = Math.max(0, Math.min(...places, text.length) - 50)
  const from = start === 0 || places.length === 0 ? 0 : text.indexOf(' ', start) + 1
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + 160)}`
}

function nothing(query: string): HTMLLIElement {
  const item = document.createElement('li')
  item.className = 'nothing'
  item.textContent = `Nothing has “${query}” in it.`
  return item
}
