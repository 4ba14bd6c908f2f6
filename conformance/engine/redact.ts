/** Takes secrets out of every text of a report, wherever they stand. */
export interface Redactor {
  /** A value that no report may show. */
  add(secret: string): void
  redact(text: string): string
}

/** Stands in a report for a secret. */
export const SECRET = '[secret]'

/** Shorter values would be found in ordinary words (ours). */
const MIN_LENGTH = 6

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
    redact: (text) =>
      [...known]
        .sort((a, b) => b.length - a.length)
        .reduce((shown, secret) => shown.replaceAll(secret, SECRET), text),
  }
}

function base64Of(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')]
}
