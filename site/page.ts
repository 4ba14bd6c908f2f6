/** One page of the site, before it is laid out. */
export interface Page {
  /** Where it lies below the site's folder, such as `rules/CRED-13.html`. */
  readonly address: string
  readonly title: string
  /** One sentence, for the search's list and for what shares links. */
  readonly summary: string
  /** Where it stands in the menu: the group's name, or none for pages that lists lead to. */
  readonly group?: Group
  /** The file that its words stand in, from the project's folder; what is linked there is looked up from it. */
  readonly source: string
  readonly markdown: string
}

/** The groups of the menu, in their order. */
export const groups = ['Begin', 'Guides', 'Reference', 'How it works', 'Evidence', 'Project'] as const

/** One of them. */
export type Group = (typeof groups)[number]

/** The way from one page to another place of the site, so that it may lie anywhere, on a disk too. */
export function wayTo(from: string, to: string): string {
  if (to.startsWith(`${from}#`)) return to.slice(from.length)
  return `${'../'.repeat(from.split('/').length - 1)}${to}`
}

/** Text as it stands in HTML, in attributes too. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
