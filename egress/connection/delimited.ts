/** The header of an answer as Node and undici give it, by small letters. */
type Header = Readonly<Record<string, string | readonly string[] | undefined>>

/** Chunks as the last coding of all. The parser takes no tab behind the word, and so neither does this. */
const ENDS_IN_CHUNKS = /(?:^|,)[\t ]*chunked *$/i

/**
 * Whether an answer says itself where it ends: by its last coding, which makes chunks of it, or without any coding by a
 * length (RFC 9112, 6.3). Every other one ends with its connection, so that anybody may have cut it short.
 */
export function isDelimited(header: Header): boolean {
  const codings = [header['transfer-encoding'] ?? []].flat()
  return codings.length > 0 ? ENDS_IN_CHUNKS.test(codings.join()) : header['content-length'] !== undefined
}
