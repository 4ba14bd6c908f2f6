import fc from 'fast-check'

/** What no text for people may hold, written down here by its numbers; a program's own line ends are taken out before. */
export const forbidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is the list of them.
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}\ud800-\udfff]/u

/** What every hostile text begins with: a line that begins with it was begun by somebody else. */
export const MARK = 'Forged'

/** Each of them alone, and what people are deceived with. */
const pieces = [
  '\u001b[2J\u001b[3J\u001b[H',
  '\u001b[8m',
  '\u001b]0;title\u0007',
  '\u009b2J',
  '\u007f',
  '\u0000',
  '\b\b\b',
  '\n',
  '\r',
  '\t',
  '\u000b',
  '\u0085',
  '\u061c',
  '\u200e',
  '\u200f',
  '\u202a',
  '\u202b',
  '\u202c',
  '\u202d',
  '\u202e',
  '\u2066',
  '\u2067',
  '\u2068',
  '\u2069',
  '\u2028',
  '\u2029',
  '\u200b',
  '\u200c',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u{e0001}',
  '\u{e0041}',
  '\u{e007f}',
  '</td><script>',
  '"',
  '\\',
  '木',
  ' is admitted.',
] as const

/** Well-formed text that tries to leave its place; a line of it may begin with the mark. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 })
  .map(
    (parts) =>
      `${MARK}${parts.map((part) => (/[\n\r\u2028\u2029\u0085]/.test(part) ? `${part}${MARK}` : part)).join('')}`,
  )

/** The same, in which half a character may stand as well: where text does not come from a strict reader. */
export const brokenText: fc.Arbitrary<string> = fc
  .tuple(hostileText, fc.constantFrom('', '\ud800', '\udc00'))
  .map(([text, half]) => text + half)

/** What is wrong with a text that people were shown: a forbidden character, or a line that a stranger begins. */
export function flawsOf(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => forbidden.test(line) || line.trimStart().startsWith(MARK))
    .map((line) => JSON.stringify(line))
}
