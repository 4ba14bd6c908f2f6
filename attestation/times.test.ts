import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { makeCase } from './testing/evidence.ts'
import { verifyBundle } from './verify.ts'

const LONG = 900_000
const ROUNDS = 9
/** How much slower one refusal may be than another that reads as much; without a bound it was ten times (ours). */
const SHARE = 3

test.each(['T', ' ', '\u00a0'])(
  'a time of nothing but %j is refused as fast as another text',
  async (piece) => {
    const text = piece.repeat(LONG / Buffer.byteLength(piece))
    const [asTime, asName] = [await fastest({ issuedAt: text }), await fastest({ hostname: text })]
    expect(asTime.reason).toBe('malformed_bundle')
    expect(asName.reason).toBe('hostname_mismatch')
    expect(asTime.ms).toBeLessThan(SHARE * asName.ms)
  },
)

/** The least of several times, which no other program on the machine makes longer. */
async function fastest(
  envelope: Readonly<Record<string, string>>,
): Promise<{ readonly ms: number; readonly reason: unknown }> {
  const { bytes, expected } = makeCase({ envelope })
  let [ms, reason]: [number, unknown] = [Number.POSITIVE_INFINITY, undefined]
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now()
    reason = await verifyBundle(bytes, expected).catch((error: { readonly reason?: unknown }) => error.reason)
    ms = Math.min(ms, performance.now() - started)
  }
  return { ms, reason }
}
