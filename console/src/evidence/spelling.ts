import { isList, isObject, type Json } from './json.ts'

/** Everything that JSON is made of but white space; a document was read before, so that every string has an end. */
const TOKEN = /"(?:[^"\\]+|\\.)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g
const INTEGER = /^-?[0-9]+$/

/** The largest that every reader takes for the same (BNDL-24). */
const MAX_INTEGER = 2n ** 53n

/**
 * A member of a document as it is spelled, without insignificant white space: what deployed platforms digest in place
 * of canonical JSON (BNDL-23). Undefined where it is not there, or where its text says more than the value that was
 * read of it: of two equal names the first is lost, and of an integer beyond 2^53 the last digits.
 */
export function spellingOf(document: string, name: string, value: Json): string | undefined {
  const tokens = memberOf(document.match(TOKEN) ?? [], name)
  const names = tokens.filter((token) => token === ':').length
  const isWhole = names === countNames(value) && tokens.every(isExact)
  return tokens.length > 0 && isWhole ? tokens.join('') : undefined
}

/** The tokens of the last member of that name, as JSON.parse takes it. */
function memberOf(tokens: readonly string[], name: string): string[] {
  let member: string[] = []
  let depth = 0
  let isMember = false
  for (const [at, token] of tokens.entries()) {
    if (token === '}' || token === ']') depth -= 1
    if (depth === 0 || (depth === 1 && token === ',')) isMember = false
    if (isMember) member.push(token)
    if (token === '{' || token === '[') depth += 1
    if (depth === 1 && token === ':' && JSON.parse(tokens[at - 1] ?? 'null') === name) {
      isMember = true
      member = []
    }
  }
  return member
}

function isExact(token: string): boolean {
  if (!INTEGER.test(token)) return true
  const integer = BigInt(token)
  return -MAX_INTEGER <= integer && integer <= MAX_INTEGER
}

function countNames(value: Json): number {
  if (isList(value)) return value.reduce<number>((sum, item) => sum + countNames(item), 0)
  if (!isObject(value)) return 0
  const items = Object.values(value)
  return items.reduce<number>((sum, item) => sum + countNames(item ?? null), items.length)
}
