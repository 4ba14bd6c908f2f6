import { visible } from '#base/foreign-text.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The place of the page where a scenario stands, as an id and behind a link's `#`. */
export function placeOf(profile: string, scenario: string): string {
  return encodeURIComponent(`${profile}/${scenario}`.toWellFormed()).replace(/['%]/g, '_')
}

/** Text of others as HTML, in an element or in a quoted attribute; its lines stay lines. */
export function html(text: string): string {
  return text
    .split('\n')
    .map(visible)
    .join('\n')
    .replace(/[&<>"']/g, (character) => entities[character]!)
}
