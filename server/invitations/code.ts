import { randomInt } from 'node:crypto'

/** No letter or digit that is easily taken for another (INV-06). */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Without its dashes (ours). */
const CODE_CHARACTERS = 12
const CODE = new RegExp(`^[${ALPHABET}]{${CODE_CHARACTERS}}$`)

/** Makes a code that nobody can guess: 59 bits, each character as likely as any other. */
export function createCode(): string {
  return Array.from({ length: CODE_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** A code as it is kept, however it was typed: case and separators do not matter. Undefined when it is none. */
export function parseCode(text: string): string | undefined {
  const code = text.replace(/[^0-9A-Za-z]/g, '').toUpperCase()
  return CODE.test(code) ? code : undefined
}

/** A code as people are shown it: three groups of four. */
export function formatCode(code: string): string {
  return code.replace(/(.{4})(?=.)/g, '$1-')
}
