import { wrong } from './query.ts'

/** Where a list goes on, as a text that nobody has to understand; null at its end. */
export function toCursor(parts: readonly string[] | undefined): string | null {
  return parts === undefined ? null : Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/**
 * Reads what `toCursor` wrote: as many texts as there are patterns, each as its pattern says; undefined where a page is
 * the first. Throws 400 `unsupported_parameter`.
 */
export function readCursor(text: string | undefined, patterns: readonly RegExp[]): string[] | undefined {
  if (text === undefined) return undefined
  const parts = parse(text)
  const isWhole =
    parts.length === patterns.length &&
    parts.every((part, index) => typeof part === 'string' && patterns[index]!.test(part))
  if (!isWhole) throw wrong('after', 'has to be the next of the page before.')
  return parts as string[]
}

function parse(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(parts) ? parts : []
  } catch {
    return []
  }
}
