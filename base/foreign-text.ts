// Every control, format and tag character, every line end but the ones that a program writes itself, halves of
// surrogate pairs, characters that are private or nobody's, whatever else is drawn as nothing, and every blank but the
// one that all expect: two texts that differ in these alone would look the same.
const UNSEEN = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu
const PLAIN = /^[ -~]*$/

/** How much is shown of a name that somebody else chose (ours). */
export const MAX_SHOWN = 200

/**
 * Writes foreign text for people, in one line: what would move the cursor, turn the line round, end it or hide is shown
 * as `\u001b`. Text of bundles, capsules, journals, backends and peers reaches people in no other way (CMD-26).
 */
export function visible(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSEEN, escapeUnits)
}

/** The same, with `…` for what is beyond so many columns; a text that is read to decide something is never cut. */
export function shorten(text: string, maxColumns = MAX_SHOWN): string {
  let shown = ''
  for (const character of text) {
    const piece = visible(character)
    if (shown.length + piece.length > maxColumns) return `${shown}…`
    shown += piece
  }
  return shown
}

/** The same, between quotation marks, so that its ends are seen too. */
export function quote(text: string, maxColumns = MAX_SHOWN): string {
  // No more of it is spelled than can be shown.
  return shorten(JSON.stringify(text.slice(0, maxColumns + 1)), maxColumns)
}

/** Writes a JSON text so that it shows what it holds; its value, and the line ends between its parts, stay. */
export function visibleJson(json: string): string {
  return json.includes('\n') ? json.split('\n').map(visible).join('\n') : visible(json)
}

function escapeUnits(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
