const LINK = /\[([^\]]+)\]\((?![a-z]+:)([^)\s]+)\)/g

/**
 * Words with their links to files of the source as names: a release has not those files, and its source no public host.
 * Links to other hosts stay.
 */
export function nameFiles(markdown: string): string {
  return markdown.replace(LINK, (_, words: string, path: string) => {
    const isItsName = path.replace(/README\.md$/, '').startsWith(words)
    return isItsName ? `\`${path}\`` : `${words} (\`${path}\`)`
  })
}
