import { type Digest, parseDigest } from '#attestation'
import { UsageError } from './usage.ts'

/** Parses a digest in any notation; throws `UsageError` naming the option. */
export function parseDigestOption(option: string, text: string): Digest {
  try {
    return parseDigest(text)
  } catch {
    throw new UsageError(`${option} must be a digest such as sha256:<64 hexadecimal digits>, not "${text}".`)
  }
}
