import { readFileSync, statSync } from 'node:fs'
import { AttestationError } from '#attestation'
import { isObject } from '#base/object.ts'
import type { EvidenceCapsule } from '#contract/models'
import { isEvidenceCapsule } from '#contract/validators/evidence-capsule'

/** Longest capsule that is read: a bundle of 1 MiB in base64, and the rest (ours). */
const MAX_CAPSULE_BYTES = 4 * 1024 * 1024
const KIND = 'EvidenceCapsule'

/**
 * Reads a file as a capsule; undefined when it is none, or cannot be read. What is meant as one and is not whole is
 * refused (`fetch`), as whatever a capsule holds is (CMD-25): it is cut (`not_json`), of another shape or version
 * (`malformed_bundle`), or longer than capsules and bundles are (`too_large`).
 */
export function findCapsule(file: string): EvidenceCapsule | undefined {
  const text = textOf(file)
  if (!text?.includes(`"${KIND}"`)) return undefined
  const value = parse(text)
  if (isEvidenceCapsule(value)) return value
  if (isObject(value) && value.kind === KIND) throw new AttestationError('fetch', 'malformed_bundle')
  return undefined
}

function textOf(file: string): string | undefined {
  try {
    if (statSync(file).size <= MAX_CAPSULE_BYTES) return readFileSync(file, 'utf8')
  } catch {
    // Those who read it as a bundle tell what is wrong with it.
    return undefined
  }
  throw new AttestationError('fetch', 'too_large')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new AttestationError('fetch', 'not_json', { cause })
  }
}
