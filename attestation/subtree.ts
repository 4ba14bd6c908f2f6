import type { GeneralSubtree } from 'pkijs'
import { lowerCase } from './hostname.ts'
import { type Name, nameTypes, toName } from './names.ts'

/** A part of all names of one kind, as a name constraint draws it (RFC 5280, 4.2.1.10). */
export type Subtree = Name

type Answer = 'yes' | 'no' | 'unknown'

const DNS_NAME = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
const DNS_BASE = /^(?:\.?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)?$/
const ADDRESS_LENGTHS: readonly number[] = [4, 16]

/** A constraint as pkijs models it; one with the distances that nobody uses can be compared with nothing. */
export function toSubtree({ base, minimum, maximum }: GeneralSubtree): Subtree {
  const { type, value } = toName(base)
  return { type, value: minimum === 0 && maximum === undefined ? value : undefined }
}

/** Whether a name lies within a subtree; unknown for kinds and spellings that are not compared here. */
export function isWithin({ type, value: name }: Name, { type: kind, value: base }: Subtree): Answer {
  if (name === undefined || base === undefined) return 'unknown'
  if (type !== kind) return 'no'
  if (typeof name === 'string' && typeof base === 'string')
    return type === nameTypes.dns ? isDnsWithin(lowerCase(name), lowerCase(base)) : 'unknown'
  if (typeof name === 'string' || typeof base === 'string') return 'unknown'
  return type === nameTypes.address ? isAddressWithin(name, base) : isDirectoryWithin(name, base)
}

function isDnsWithin(name: string, base: string): Answer {
  if (!DNS_NAME.test(name) || !DNS_BASE.test(base)) return 'unknown'
  const suffix = base.startsWith('.') ? base : `.${base}`
  if (base === '' || name === base || name.endsWith(suffix)) return 'yes'
  // A wildcard may reach into a subtree that lies right below it.
  return name.startsWith('*.') && base.slice(base.indexOf('.') + 1) === name.slice(2) ? 'unknown' : 'no'
}

function isAddressWithin(name: Buffer, base: Buffer): Answer {
  if (!ADDRESS_LENGTHS.includes(name.length) || !ADDRESS_LENGTHS.includes(base.length / 2)) return 'unknown'
  if (base.length !== 2 * name.length) return 'no'
  const mask = base.subarray(name.length)
  return name.every(
    (byte, index) => (byte & (mask[index] ?? 0)) === ((base[index] ?? 0) & (mask[index] ?? 0)),
  )
    ? 'yes'
    : 'no'
}

/** A prefix of the sequence of names, byte by byte; other bytes may still spell an equal name. */
function isDirectoryWithin(name: Buffer, base: Buffer): Answer {
  return contentOf(name).subarray(0, contentOf(base).length).equals(contentOf(base)) ? 'yes' : 'unknown'
}

/** The content of a value in DER: what follows its tag and its length. */
function contentOf(der: Buffer): Buffer {
  const length = der[1] ?? 0
  return der.subarray(length < 0x80 ? 2 : 2 + (length & 0x7f))
}
