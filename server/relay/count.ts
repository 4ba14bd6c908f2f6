/** UTF-8 bytes that count as one token where there is no better measure (MET-09). */
const BYTES_PER_TOKEN = 4

/**
 * The router's own count of what a model wrote, in streams and answers alike (MET-09): a delta may hold many
 * tokens, and a token may have many bytes, so whichever measure says more stands.
 */
export function countCompletionTokens(deltas: number, textBytes: number): number {
  return Math.max(deltas, Math.ceil(textBytes / BYTES_PER_TOKEN))
}
