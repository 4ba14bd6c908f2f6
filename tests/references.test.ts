import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { rules } from '../generated/rules.ts'

const ROOT = join(import.meta.dirname, '..')

/** Folders that hold nothing written by hand. */
const SKIPPED = ['node_modules', '.git', '.data', 'dist', 'coverage', 'corpus', 'keys']
const READ = /\.(ts|js|tsp|md|ya?ml|sql|json|py|sh|go|rs)$|\/[^.]+$/

/** What follows from sources that are read here themselves. */
const GENERATED = /^(generated\/|spec\/released\/|package-lock\.json$|reports\/.*\.json$)/

/** Where places of the text may be named by their sign: the text itself, the rules that quote it, and their compiler. */
const TEXT_ROOMS = /^spec\/(text|rules|emitter)\/|^tests\/references\.test\.ts$/

interface Line {
  readonly file: string
  readonly text: string
  /** As an editor jumps to it. */
  readonly at: string
}

const files = readdirSync(ROOT, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
  .filter((path) => !path.split('/').some((part) => SKIPPED.includes(part)) && READ.test(`/${path}`))
  .sort()

const lines: readonly Line[] = files
  .filter((file) => !GENERATED.test(file))
  .flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .map((text, index) => ({ file, text, at: `${file}:${index + 1}` })),
  )

/** Every match of a pattern that is not known, as `file:line match`. */
function unknown(pattern: RegExp, isKnown: (match: string, line: Line) => boolean): readonly string[] {
  return lines.flatMap((line) =>
    [...line.text.matchAll(pattern)]
      .filter(([match]) => !isKnown(match, line))
      .map(([match]) => `${line.at} ${match}`),
  )
}

test('no line cites a document by a number that nothing in the tree resolves', () => {
  expect(unknown(/\b(decisions|interfaces),? \d+|\(given[- ]spec/gi, () => false)).toEqual([])
})

test('outside the text and its rules the contract is cited by rule ids, not by sections', () => {
  expect(unknown(/§[\d.]*/g, (_, { file }) => TEXT_ROOMS.test(file))).toEqual([])
})

test('every page that is named is in the tree', () => {
  // What the suite writes beside its results, and a release beside its files.
  const names = new Set([...files.map((file) => basename(file)), 'report.md', 'CHANGES.md'])
  const isKnown = (name: string, { file }: Line) => names.has(name) || file.startsWith('spec/emitter/')
  expect(unknown(/[\w-]+\.md\b/g, isKnown)).toEqual([])
})

test('every link of a page leads to something in the tree', () => {
  const isDead = (link: string, { file }: Line) =>
    file.endsWith('.md') && !existsSync(resolve(ROOT, dirname(file), link.slice(2).split('#')[0]!))
  expect(unknown(/\]\((?!https?:|#|mailto:)[^)\s]+/g, (link, line) => !isDead(link, line))).toEqual([])
})

test('every rule that is cited is one of the contract', () => {
  const topics = [...new Set(Object.keys(rules).map((id) => id.split('-')[0]))].join('|')
  // 99 is nobody's number: the suite's own tests use it for a rule that does not exist.
  const isKnown = (id: string) => Object.hasOwn(rules, id) || id.endsWith('-99')
  expect(unknown(new RegExp(`\\b(?:${topics})-\\d{2,}\\b`, 'g'), isKnown)).toEqual([])
})

test('every place of the text that is named is there', () => {
  const texts = lines.filter(({ file }) => file.startsWith('spec/text/'))
  const places = new Set(texts.flatMap(({ text }) => /^- \*\*([^*]+)\*\*/.exec(text)?.[1] ?? []))
  const isKnown = (place: string, { file }: Line) => file.startsWith('spec/emitter/') || places.has(place)
  expect(unknown(/(?<![\w/])[DI]\d+\/(?:[pt]\d+|\d+(?:\.\d+)*)(?::\d+)?/g, isKnown)).toEqual([])
})

test('every case that is cited is on the page of cases', () => {
  const cases = readFileSync(join(ROOT, 'docs/cases.md'), 'utf8')
  expect(unknown(/(?<![\w-])[MLSTPV]-\d\d(?![\w-])/g, (id) => cases.includes(`| ${id} |`))).toEqual([])
})
