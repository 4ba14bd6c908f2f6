/** Names headings as a repository's page does, so that a link is right in both places. */
export function createSlugs(): (heading: string) => string {
  const taken = new Map<string, number>()
  return (heading) => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-')
    const times = taken.get(slug) ?? 0
    taken.set(slug, times + 1)
    return times === 0 ? slug : `${slug}-${times}`
  }
}

/** The sections of a page in Markdown that begin with these headings, each up to the next of its level. */
export function sectionsOf(page: string, wanted: readonly string[]): string {
  const parts = splitAtHeadings(page)
  return wanted
    .map((heading) => {
      const start = parts.findIndex((part) => part.startsWith(`${heading}\n`))
      if (start === -1) throw new Error(`no section "${heading}"`)
      const rest = parts.slice(start + 1)
      const end = rest.findIndex((part) => levelOf(part) <= levelOf(heading))
      return [parts[start]!, ...(end === -1 ? rest : rest.slice(0, end))].join('')
    })
    .join('\n')
}

function levelOf(part: string): number {
  return /^#+/.exec(part)![0].length
}

/** A line of a program that begins with a hash is no heading. */
function splitAtHeadings(page: string): readonly string[] {
  const parts: string[] = ['']
  let isCode = false
  for (const line of page.split(/(?<=\n)/)) {
    if (line.startsWith('```')) isCode = !isCode
    if (!isCode && /^#{1,6} /.test(line)) parts.push('')
    parts[parts.length - 1] += line
  }
  return parts.slice(1)
}

/** The first block of commands behind a heading, word for word. */
export function blockBehind(page: string, heading: string): string {
  const block = /^```sh\n[\s\S]*?^```$/m.exec(page.slice(page.indexOf(`${heading}\n`)))?.[0]
  if (block === undefined) throw new Error(`no commands behind "${heading}"`)
  return block
}
