import { AttestationError, parsePin, parseRoots, verifyBundle } from '@confidential-inference-router/verifier'

// Looked at by the compiler alone, as somebody's own source.
export async function isApproved(bytes: Uint8Array, pem: string, pin: string): Promise<boolean> {
  try {
    const { digest } = await verifyBundle(bytes, {
      hostname: 'router.example',
      roots: parseRoots(pem),
      pins: [parsePin(pin)],
      now: new Date(),
      maxBundleAgeMs: 86_400_000,
    })
    return digest.startsWith('sha256/')
  } catch (error) {
    if (error instanceof AttestationError && error.stage === 'policy') return false
    throw error
  }
}

// @ts-expect-error Whatever is judged is judged at some time.
export const wrong = verifyBundle(new Uint8Array(), { hostname: '', roots: [], pins: [], maxBundleAgeMs: 1 })
