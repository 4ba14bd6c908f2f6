import type { Page } from '../page.ts'
import { list, read } from '../project.ts'

/** What the text says at a place, with its reasons. */
export interface Clause {
  readonly file: string
  readonly section: string
  readonly address: string
  /** The words that oblige, and the remarks below, as Markdown. */
  readonly words: string
  readonly remarks: string
}

const CLAUSE = /^#+ (.*)$|^- \*\*([^*]+)\*\*([\s\S]*?)(?=^\S|(?![\s\S]))/gm

/** The anchor of a place on its page: a slash and a colon would want escapes. */
function anchorOf(place: string): string {
  return place.replace(/[/:]/g, '-').replace('\u00a7', 's')
}

/** The text of the contract, a page for each section. */
export function contractPages(): readonly Page[] {
  return list('spec/text/*.md').map((source): Page => {
    const markdown = read(source)
    const isIndex = source.endsWith('README.md')
    return {
      address: addressOf(source),
      title: titleOf(markdown),
      summary: isIndex
        ? 'What this service, its proxy and its verifier promise, in words, with the reasons.'
        : titleOf(markdown),
      ...(isIndex ? { group: 'Reference' as const } : {}),
      source,
      markdown: isIndex ? `${markdown}\n${contents()}` : withAnchors(markdown),
    }
  })
}

/** Every place of the text. */
export function clauses(): ReadonlyMap<string, Clause> {
  const found = new Map<string, Clause>()
  for (const file of list('spec/text/*.md').filter((name) => !name.endsWith('README.md'))) {
    let section = ''
    for (const { 1: heading, 2: place, 3: text = '' } of read(file).matchAll(CLAUSE)) {
      if (heading && /^(\u00a7|[DI]\d)/.test(heading)) section = heading
      if (place === undefined) continue
      const [words = '', ...remarks] = text.split(/\n(?= {2}- \*)/)
      found.set(place, {
        file,
        section,
        address: `${addressOf(file)}#${anchorOf(place)}`,
        words: words.trim(),
        remarks: remarks.map((remark) => remark.replace(/^ {2}/gm, '')).join('\n'),
      })
    }
  }
  return found
}

function contents(): string {
  const files = list('spec/text/*.md').filter((file) => !file.endsWith('README.md'))
  const byNumber = (file: string) => file.replace(/\d+/, (number) => number.padStart(3, '0'))
  const sorted = [...files].sort((a, b) => (rank(a) + byNumber(a) < rank(b) + byNumber(b) ? -1 : 1))
  return [
    '## The sections',
    '',
    ...sorted.map((file) => `- [${titleOf(read(file))}](${file.split('/').pop()})`),
    '',
  ].join('\n')
}

function rank(file: string): string {
  return String(['given', 'decided', 'interfaces'].findIndex((kind) => file.includes(`/${kind}`)))
}

function withAnchors(markdown: string): string {
  return markdown.replace(/^- \*\*([^*]+)\*\*/gm, (_, place: string) => {
    return `- <strong id="${anchorOf(place)}">${place}</strong>`
  })
}

function addressOf(source: string): string {
  return `contract/${source.slice('spec/text/'.length).replace('README.md', 'index.html').replace('.md', '.html')}`
}

function titleOf(markdown: string): string {
  return /^# (.*)$/m.exec(markdown)?.[1] ?? ''
}
