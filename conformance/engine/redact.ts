/** Takes secrets out of every text of a report, wherever they stand. */
export interface Redactor {
  /** A value that no report may show. */
  add(secret: string): void
  redact(text: string): string
  /** Whether a text is such a value, whole and nothing else. */
  isSecret(text: string): boolean
}

/** Stands in a report for a secret. */
export const SECRET = '[secret]'

/** Shorter values would be found in ordinary words (ours). */
const MIN_LENGTH = 6

/** The beginning of a secret that a text was cut in; shorter ones tell too little, and stand in ordinary words (ours). */
const MIN_BEGINNING = 16

/** Makes a redactor; values are replaced as they are, and as they look percent-encoded or in base64. */
export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const known = new Set<string>()
  const add = (secret: string) => {
    if (secret.length < MIN_LENGTH) return
    for (const form of [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      ...base64Of(secret),
    ]) {
      known.add(form)
    }
  }
  for (const secret of secrets) add(secret)
  return {
    add,
    isSecret: (text) => known.has(text),
    redact: (text) =>
      [...known]
        .sort((a, b) => b.length - a.length)
        .reduce((shown, secret) => withoutBeginnings(shown.replaceAll(secret, SECRET), secret), text),
  }
}

/**
 * A text without what is left of a secret where somebody quoted an answer that it stood in, and cut the quotation: who has
 * all but a few characters of a key has it.
 */
function withoutBeginnings(text: string, secret: string): string {
  const beginning = secret.slice(0, Math.max(MIN_BEGINNING, Math.ceil(secret.length / 2)))
  if (beginning.length === secret.length) return text
  let shown = text
  for (let at = shown.indexOf(beginning); at >= 0; at = shown.indexOf(beginning, at + SECRET.length)) {
    let length = beginning.length
    while (length < secret.length && shown[at + length] === secret[length]) length++
    shown = `${shown.slice(0, at)}${SECRET}${shown.slice(at + length)}`
  }
  return shown
}

function base64Of(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')]
}
