import type { BackendConfig } from './backend.ts'

/** What stands in a message in place of what is nobody's business. */
const MASK = '[backend]'

/** Characters of a key that give it away where they stand together; a shorter key is taken out whole (ours). */
const KEY_RUN = 8

/** A key as servers shorten it when they refuse it: its ends around dots or stars. */
const SHORTENED = /(?<![\w-])([\w-]*)(?:\*{2,}|\.{2,}|•{2,}|…)([\w-]*)/g

/** Characters at one end of a shortened key that tell it from a chance (ours). */
const SHORTENED_END = 3

/**
 * Takes a backend's address and key out of what it said, by value: spelt as they are, in another case, percent-encoded
 * in whole or in part, escaped, and where only a part of them stands (RLAY-12).
 */
export function withoutSecrets(
  message: string,
  { url, hostname, apiKey, tokenizeUrl }: Pick<BackendConfig, 'url' | 'hostname' | 'apiKey' | 'tokenizeUrl'>,
): string {
  let shown = message
  const called = hostname === undefined ? undefined : calledBy(url, hostname)
  for (const address of [url, called, tokenizeUrl]) {
    if (address === undefined) continue
    for (const part of partsOf(address)) shown = shown.replace(anyWriting(part), MASK)
  }
  return apiKey ? withoutKey(shown, apiKey) : shown
}

/** The address under the name that is sent as its host. */
function calledBy(address: string, hostname: string): string {
  const url = new URL(address)
  url.hostname = hostname
  return url.href
}

/** What an address consists of, the longest first: a host may be told without its scheme, its port or its end. */
function partsOf(address: string): string[] {
  const { href, origin, host, hostname } = new URL(address)
  const labels = hostname.split('.')
  const isName = /[a-z]/i.test(labels.at(-1)!)
  const beginnings = isName ? labels.map((_, index) => labels.slice(0, index + 1).join('.')).slice(1) : []
  const parts = [address, href.replace(/\/$/, ''), origin, host, hostname, ...beginnings]
  return [...new Set(parts)].sort((one, other) => other.length - one.length)
}

function withoutKey(message: string, key: string): string {
  const whole = message.replace(anyWriting(key), MASK)
  const shortened = whole.replace(SHORTENED, (found, start: string, end: string) => {
    const isStart = start.length >= SHORTENED_END && key.startsWith(start)
    const isEnd = end.length >= SHORTENED_END && key.endsWith(end)
    return isStart || isEnd ? MASK : found
  })
  return key.length < KEY_RUN ? shortened : withoutRuns(shortened, key)
}

/** Takes out every stretch of the key that is long enough to help a guesser. */
function withoutRuns(message: string, key: string): string {
  const runs = new Set(
    Array.from({ length: key.length - KEY_RUN + 1 }, (_, at) => key.slice(at, at + KEY_RUN)),
  )
  let shown = ''
  let coveredTo = 0
  for (let at = 0; at < message.length; at++) {
    if (runs.has(message.slice(at, at + KEY_RUN))) {
      if (at >= coveredTo) shown += MASK
      coveredTo = at + KEY_RUN
    }
    if (at >= coveredTo) shown += message[at]!
  }
  return shown
}

/**
 * Matches a text in any writing. It stands for itself only where no other letter or digit goes on: a host called `a` is
 * not taken out of every word.
 */
function anyWriting(text: string): RegExp {
  const characters = [...text].map(anyWritingOf).join('')
  const begins = '(?:(?<![A-Za-z0-9])|(?<=%[0-9A-Fa-f]{2})|(?<=\\\\[a-z]))'
  return new RegExp(`${begins}${characters}(?![A-Za-z0-9])`, 'giu')
}

/** One character: itself, percent-encoded once or twice, or behind a backslash. */
function anyWritingOf(character: string): string {
  const bytes = [...Buffer.from(character)]
  const encoded = bytes.map((byte) => `%(?:25)?${byte.toString(16).padStart(2, '0')}`).join('')
  return `(?:\\\\?\\u{${character.codePointAt(0)!.toString(16)}}|${encoded})`
}
