/** Texts whose JSON is kept (ours); a configuration has far fewer. */
const MAX_KEPT = 1_024

const kept = new Map<string, string>()

/**
 * `JSON.stringify` of a text that comes again with each request: a model's id, the name of a member, a digest that is in
 * force. Never of what a caller or a backend wrote, which would be kept here.
 */
export function spell(text: string | null): string {
  if (text === null) return 'null'
  let json = kept.get(text)
  if (json === undefined) {
    json = JSON.stringify(text)
    if (kept.size === MAX_KEPT) kept.clear()
    kept.set(text, json)
  }
  return json
}
