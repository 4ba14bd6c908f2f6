import type { Commit } from './repository.ts'

/** What kinds of commits are called, in the order in which a reader wants them. */
const KINDS: Readonly<Record<string, string>> = {
  feat: 'New',
  fix: 'Mended',
  perf: 'Faster',
  docs: 'Documents',
  test: 'Tests',
  refactor: 'Within',
}

const SUBJECT = /^(\w+)(?:\(([^)]+)\))?: (.+)$/
const HEADING = '## Unreleased'

/** The changelog with what is unreleased under a version and its day. Throws where there is nothing. */
export function dateChangelog(text: string, version: string, day: string): string {
  const section = sectionOf(text, HEADING)
  if (section === undefined || section.trim() === '')
    throw new Error(`CHANGELOG.md has nothing under "${HEADING}".`)
  return text.replace(`${HEADING}\n`, `${HEADING}\n\n## ${version} (${day})\n`)
}

/** What the changelog says of a version; undefined when that has no heading. */
export function changesOf(text: string, version: string): string | undefined {
  const heading = text.split('\n').find((line) => line.startsWith(`## ${version} (`))
  return heading === undefined ? undefined : sectionOf(text, heading)?.trim()
}

/** The page of a release: what users notice, as it was written for them, then every commit by its kind and room. */
export function describeChanges(version: string, told: string, commits: readonly Commit[]): string {
  const parts = commits.map(({ hash, subject }) => {
    const [, kind = '', room, what = subject] = SUBJECT.exec(subject) ?? []
    const line = `- ${room === undefined ? '' : `**${room}**: `}${what} (${hash.slice(0, 7)})`
    return { title: KINDS[kind] ?? 'Besides', room: room ?? '', line }
  })
  const titles = [...Object.values(KINDS), 'Besides']
  const lists = titles.flatMap((title) => {
    const lines = parts
      .filter((part) => part.title === title)
      .toSorted((one, other) => one.room.localeCompare(other.room, 'en'))
      .map(({ line }) => line)
    return lines.length === 0 ? [] : [`### ${title}\n\n${lines.join('\n')}\n`]
  })
  return [`# ${version}\n`, `${told}\n`, '## Every change\n', ...lists].join('\n')
}

function sectionOf(text: string, heading: string): string | undefined {
  const [, rest] = text.split(`${heading}\n`, 2)
  return rest?.split(/^## /m, 1)[0]
}
