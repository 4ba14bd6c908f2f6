import { isSpace } from './json.ts'

const BEGIN = '-----BEGIN CERTIFICATE-----'
const END = '-----END CERTIFICATE-----'
const BLOCK = new RegExp(`${BEGIN}[^-]*${END}`, 'g')

/** Gives the DER of one PEM certificate, with white space around it at most. Throws a `TypeError` for all else. */
export function parsePem(text: string): Buffer {
  const pem = text.trim()
  if (!pem.startsWith(BEGIN) || !pem.endsWith(END) || pem.length < BEGIN.length + END.length)
    throw malformed()
  const base64 = pem.slice(BEGIN.length, -END.length)
  const der = Buffer.from(base64, 'base64')
  // Node skips what is not base64; only the canonical spelling, with line breaks anywhere, survives the way back.
  if (der.length === 0 || !isSpelled(base64, der.toString('base64'))) throw malformed()
  return der
}

/** Gives the DER of every certificate of a file; other text between them is skipped. Throws a `TypeError` for none. */
export function parsePemFile(text: string): Buffer[] {
  const blocks = text.match(BLOCK)
  if (!blocks) throw malformed()
  return blocks.map(parsePem)
}

/** Whether a text is another one with white space in between. */
function isSpelled(text: string, letters: string): boolean {
  let next = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (isSpace(unit)) continue
    if (unit !== letters.charCodeAt(next)) return false
    next += 1
  }
  return next === letters.length
}

function malformed(): TypeError {
  return new TypeError('This is not a certificate in PEM form.')
}
