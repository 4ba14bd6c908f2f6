import { readFileSync, statSync } from 'node:fs'
import type { EvidenceCapsule } from '#contract/models'
import { isEvidenceCapsule } from '#contract/validators/evidence-capsule'

/** Longest capsule that is read: a bundle of 1 MiB in base64, and the rest (ours). */
const MAX_CAPSULE_BYTES = 4 * 1024 * 1024

/** Reads a file as a capsule; undefined when it is none, whatever else it may be. */
export function findCapsule(file: string): EvidenceCapsule | undefined {
  try {
    if (statSync(file).size > MAX_CAPSULE_BYTES) return undefined
    const text = readFileSync(file, 'utf8')
    if (!text.includes('"EvidenceCapsule"')) return undefined
    const value: unknown = JSON.parse(text)
    return isEvidenceCapsule(value) ? value : undefined
  } catch {
    // Those who read it as a bundle tell what is wrong with it.
    return undefined
  }
}
