import { type ErrorEntry, errors } from '#contract/errors'
import type { Page } from '../page.ts'
import { read } from '../project.ts'
import { allRules } from './rules.ts'

const PAGE = 'generated/errors.md'

/** One code of the registry, with what its page says. */
export interface ErrorOfPage extends ErrorEntry {
  readonly code: string
  readonly meaning: string
  readonly remedy: string
  readonly address: string
}

const ROW = /^\| <a id="(\w+)"><\/a>`\w+` \| [^|]* \| \w+ \| ([^|]*) \| ([^|]*) \|$/gm

/** Every code, in the order of the registry. */
export const allErrors: readonly ErrorOfPage[] = listErrors()

function listErrors(): readonly ErrorOfPage[] {
  const rows = new Map(
    [...read(PAGE).matchAll(ROW)].map(([, code, meaning, remedy]) => [code, { meaning, remedy }]),
  )
  return Object.entries<ErrorEntry>(errors).map(([code, entry]) => {
    const { meaning, remedy } = rows.get(code) ?? {}
    if (meaning === undefined || remedy === undefined) throw new Error(`${PAGE} has no row for ${code}`)
    return { code, ...entry, meaning, remedy, address: `errors/${code}.html` }
  })
}

/** A page for each code, and one with all of them. */
export function errorPages(): readonly Page[] {
  return [listOfErrors(), ...allErrors.map(errorPage)]
}

function listOfErrors(): Page {
  const words = /^An error is [\s\S]*?(?=\n\n\|)/m.exec(read(PAGE))?.[0] ?? ''
  const rows = allErrors.map(
    ({ code, status, meaning, remedy }) => `| [\`${code}\`](#${code}) | ${status} | ${meaning} | ${remedy} |`,
  )
  return {
    address: 'errors/index.html',
    title: 'Errors',
    summary: 'Every error code: status, meaning, and what to do about it.',
    group: 'Reference',
    source: PAGE,
    markdown: `# Errors\n\n${words}\n\n| Code | Status | What it says | What to do |\n|---|---|---|---|\n${rows.join('\n')}\n`,
  }
}

function errorPage({ code, status, type, origin, headers, meaning, remedy, address }: ErrorOfPage): Page {
  const rules = allRules.filter(({ text }) => text.includes(`\`${code}\``))
  const markdown = [
    `# ${code}`,
    '',
    `> ${meaning}`,
    '',
    '| | |',
    '|---|---|',
    `| Status | ${status} |`,
    `| Type | \`${type}\` |`,
    `| Trying again | ${tryingAgain(remedy)} |`,
    `| Provenance | **${origin}**: ${origin === 'given' ? 'every implementation has it' : 'this project’s own'} |`,
    `| Headers | ${headers.length === 0 ? 'none of its own' : headers.map((name) => `\`${name}\``).join(', ')} |`,
    '',
    '## What to do',
    '',
    remedy,
    '',
    '[What clients try again](/docs/integrator.md#what-is-tried-again) is in the guide for integrators.',
    '',
    '## Rules that name it',
    '',
    ...(rules.length === 0 ? ['None by its name.'] : rules.map(({ id, text }) => `- ${id} ${text}`)),
    '',
  ].join('\n')
  return { address, title: code, summary: meaning, source: PAGE, markdown }
}

/** Whether the same request may be sent again, as the words of the remedy have it. */
function tryingAgain(remedy: string): string {
  if (/^Do not try again/.test(remedy)) return 'no, not before somebody has acted'
  if (/^(Try again|Wait)/.test(remedy)) return 'helps, see below'
  if (/stage `attesting` try again/.test(remedy)) return 'helps at the stage `attesting` alone'
  if (/with `Retry-After`/.test(remedy)) return 'helps where the answer has a `Retry-After`'
  return 'first do what stands below'
}
