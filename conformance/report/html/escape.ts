import { visible } from '#base/foreign-text.ts'
import { UNIVERSAL } from '../../engine/universal/name.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * The place of the page where a scenario stands, as an id and behind a link's `#`; what every exchange is held to has one
 * for each rule.
 */
export function placeOf(profile: string, scenario: string, rule?: string): string {
  const path = scenario === UNIVERSAL && rule !== undefined ? `${scenario}/${rule}` : scenario
  return encodeURIComponent(`${profile}/${path}`.toWellFormed()).replace(/['%]/g, '_')
}

/** The same as `html`, with what stands between backticks as code. */
export function marked(text: string): string {
  return html(text).replace(/`([^`\n]+)`/g, '<code>$1</code>')
}

/** Text of others as HTML, in an element or in a quoted attribute; its lines stay lines. */
export function html(text: string): string {
  return text
    .split('\n')
    .map(visible)
    .join('\n')
    .replace(/[&<>"']/g, (character) => entities[character]!)
}
