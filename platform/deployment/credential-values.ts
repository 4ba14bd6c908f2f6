/** Forms that credentials have by themselves, wherever they stand. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----/, 'a private key'],
  [/\b[a-z][a-z\d+.-]{0,31}:\/\/[^\s/:@"'$]{0,256}:(?!\$[{(])[^\s/@"']{1,256}@/i, 'a password in a URL'],
  [
    /\b(sk-|sk_live_|rk_live_|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|hf_|AKIA)[\w-]{16,}/,
    'the form of a key',
  ],
  [/\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/, 'the form of a signed token'],
]

/** What a resource says of itself, and where it keeps what it holds; in JSON or YAML. */
const SECRET_KIND = /["']?\bkind["']?[ \t]*:[ \t]*["']?Secret["']?[ \t]*([,}\n\r]|$)/
const SECRET_DATA = /["']?\b(data|stringData)["']?[ \t]*:[ \t]*[{\n\r]/

/** What is random and meant to be public. */
const PUBLIC = [
  /-----BEGIN (CERTIFICATE|PUBLIC KEY)-----[^-]*-----END \1-----/g,
  /\bsha(256|384|512)[:/-][\w+/=-]+/g,
]

const RUN = /[\w+/=-]{20,}/g
// Ours: words and names stay below, random base64 of that length above; random hexadecimal digits reach 4 at most.
const RANDOM_BITS = 4
const HEX_KEY = /^([\da-f]{32}|[\da-f]{40}|[\da-f]{48}|[\da-f]{64}|[\da-f]{96}|[\da-f]{128})$/i

/** What a text looks like by itself, in a few words; whether it looks random is asked of settings alone. */
export function looksLike(text: string, isSetting: boolean): string | undefined {
  const shape = SHAPES.find(([form]) => form.test(text))
  if (shape) return shape[1]
  if (SECRET_KIND.test(text) && SECRET_DATA.test(text)) return 'the manifest of a Secret'
  if (!isSetting) return undefined
  const rest = PUBLIC.reduce((left, form) => left.replace(form, ''), text)
  return (rest.match(RUN) ?? []).some(isRandom) ? 'as random as a key' : undefined
}

function isRandom(run: string): boolean {
  if (HEX_KEY.test(run)) return true
  const kinds = [/[a-z]/, /[A-Z]/, /\d/].filter((kind) => kind.test(run)).length
  return kinds === 3 && entropyOf(run) >= RANDOM_BITS
}

/** Bits for each character (Shannon), by the characters that are there. */
function entropyOf(text: string): number {
  const counts = Map.groupBy(text, (character) => character)
  return [...counts.values()].reduce((bits, { length }) => {
    const share = length / text.length
    return bits - share * Math.log2(share)
  }, 0)
}
