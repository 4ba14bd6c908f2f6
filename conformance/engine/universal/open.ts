import { isObject } from '#base/object.ts'

/**
 * A body with what the given specification leaves open in the form that this project chose, so that its schema judges the
 * rest: `param` null or absent, a digest in either notation, a ULID in either case.
 */
export function settled(value: unknown): unknown {
  if (!isObject(value)) return value
  const { id, usage, error } = value
  return {
    ...value,
    ...(typeof id === 'string' && { id: settledId(id) }),
    ...(isObject(usage) && 'evidence_digest' in usage && { usage: settledUsage(usage) }),
    ...(isObject(error) && error.param === null && { error: withoutParam(error) }),
  }
}

/** A digest in wire form, whichever of the two notations it came in (DIG-01, DIG-02); anything else as it is. */
export function inWireForm(digest: unknown): unknown {
  const hex = typeof digest === 'string' ? /^sha256:([0-9a-f]{64})$/i.exec(digest)?.[1] : undefined
  return hex === undefined ? digest : `sha256/${Buffer.from(hex, 'hex').toString('base64url')}`
}

/** Case means nothing in a ULID. */
function settledId(id: string): string {
  return id.startsWith('gen-') ? `gen-${id.slice('gen-'.length).toUpperCase()}` : id
}

function settledUsage(usage: Readonly<Record<string, unknown>>): object {
  return { ...usage, evidence_digest: inWireForm(usage.evidence_digest) }
}

function withoutParam({ param: _, ...error }: Readonly<Record<string, unknown>>): object {
  return error
}
