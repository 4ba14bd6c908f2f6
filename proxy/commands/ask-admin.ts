import { notRunning } from './admin-address.ts'

/** A question to the running proxy. */
export interface AdminQuestion {
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  /** Longest wait for the whole answer, in milliseconds. */
  readonly limitMs: number
}

/** Longest answer that is read (ours): some hundred bytes for each endpoint. */
const MAX_ANSWER_BYTES = 4_194_304

/**
 * Asks whoever listens at the address of the running proxy, which may be somebody else while none runs: it is followed
 * nowhere, and has no room to fill. Throws `notRunning` where no JSON comes.
 */
export async function askAdmin(
  address: string,
  path: string,
  { limitMs, ...question }: AdminQuestion,
): Promise<{ readonly status: number; readonly found: unknown }> {
  try {
    const answer = await fetch(`${address}${path}`, {
      ...question,
      redirect: 'manual',
      signal: AbortSignal.timeout(limitMs),
    })
    return { status: answer.status, found: JSON.parse(await readAll(answer.body ?? [])) }
  } catch (cause) {
    throw notRunning(address, cause)
  }
}

async function readAll(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > MAX_ANSWER_BYTES) throw new Error('The answer is longer than any that is read here.')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
