import { addressWords, type Words } from './address.ts'
import { expectTag, membersOf, parseDer, tags } from './der-value.ts'
import { type Name, nameTypes } from './names.ts'

/** A bit for each authority that permits, and one for all that exclude. */
type Marks = number

/** What is said of a name and of what lies below it. */
interface Place {
  /** Of the name itself and of all below it. */
  here: Marks
  /** Of what lies below it alone. */
  below: Marks
  /** Of the names right below it. */
  children: Marks
}

/** A network: the bits that count, and their values. */
interface Network {
  readonly mask: Words
  readonly base: Words
  readonly marks: Marks
}

const EXCLUDED: Marks = 1 << 30
const DNS_NAME = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i
const DNS_BASE = /^(?:\.?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)?$/i

/** Most labels of a DNS name and parts of a directory name that are compared (ours); real ones have ten. */
const MAX_PARTS = 32

/**
 * What the authorities of a chain demand of the names below them. Names and demands are looked up, not compared each
 * with each; where a comparison has no certain answer, it counts against the chain either way.
 */
export class Demands {
  readonly #places = new Map<string, Place>()
  readonly #networks: Network[] = []
  /** By kind of name: which authorities permit some of that kind, and so no others. */
  readonly #permitting = new Map<number, Marks>()
  /** The kinds of which something is excluded, and those of which it is not known what. */
  readonly #excluding = new Set<number>()
  readonly #excludingUnknown = new Set<number>()
  #authorities = 0

  /** Whether anything is demanded at all. */
  get areAny(): boolean {
    return this.#permitting.size + this.#excluding.size > 0
  }

  /** Adds what one more authority demands. */
  add(permitted: readonly Name[], excluded: readonly Name[]): void {
    const own = 1 << this.#authorities
    this.#authorities += 1
    for (const subtree of permitted) {
      this.#permitting.set(subtree.type, (this.#permitting.get(subtree.type) ?? 0) | own)
      this.#mark(subtree, own)
    }
    for (const subtree of excluded) {
      this.#excluding.add(subtree.type)
      // Other bytes may still spell an equal directory name, so that nothing is certain to lie outside of one.
      const isKnown = this.#mark(subtree, EXCLUDED) && subtree.type !== nameTypes.directory
      if (!isKnown) this.#excludingUnknown.add(subtree.type)
    }
  }

  /** Whether every authority so far permits a name and none excludes it. */
  admit(name: Name): boolean {
    const required = this.#permitting.get(name.type) ?? 0
    const isUnknownExcluded = this.#excludingUnknown.has(name.type)
    const isDemanded = required !== 0 || this.#excluding.has(name.type)
    if (!isDemanded) return true
    const found = this.#find(name)
    if (found === undefined || isUnknownExcluded) return false
    return (found & EXCLUDED) === 0 && (required & ~found) === 0
  }

  /** Marks a subtree; false when it cannot be compared with anything. */
  #mark({ type, content }: Name, marks: Marks): boolean {
    if (content === undefined) return false
    if (type === nameTypes.address) return this.#markNetwork(content, marks)
    const key = type === nameTypes.dns ? dnsBaseOf(content) : directoryKeys(type, content)?.at(-1)
    if (key === undefined) return false
    if (type !== nameTypes.dns) this.#place(key).here |= marks
    else if (key.startsWith('.')) this.#place(key.slice(1)).below |= marks
    else {
      this.#place(key).here |= marks
      this.#place(parentOf(key)).children |= marks
    }
    return true
  }

  #markNetwork(content: Buffer, marks: Marks): boolean {
    const half = content.length / 2
    const [base, mask] = [addressWords(content.subarray(0, half)), addressWords(content.subarray(half))]
    if (!base || !mask) return false
    this.#networks.push({ mask, base: base.map((word, index) => word & (mask[index] ?? 0)), marks })
    return true
  }

  /** What is said of a name; undefined when it cannot be compared with anything. */
  #find({ type, content }: Name): Marks | undefined {
    if (content === undefined) return undefined
    if (type === nameTypes.dns) return this.#findDns(content)
    if (type === nameTypes.address) return this.#findAddress(content)
    const keys = directoryKeys(type, content)
    return keys?.reduce((marks, key) => marks | (this.#places.get(key)?.here ?? 0), 0)
  }

  #findDns(content: Buffer): Marks | undefined {
    const name = dnsNameOf(content)
    if (name === undefined) return undefined
    let found = (this.#places.get('')?.here ?? 0) | (this.#places.get(name)?.here ?? 0)
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
      const above = this.#places.get(name.slice(dot + 1))
      if (above) found |= above.here | above.below
    }
    // A wildcard may reach into a subtree that lies right below its place.
    const reach = name.startsWith('*.') ? this.#places.get(name.slice(2))?.children : undefined
    return found | ((reach ?? 0) & EXCLUDED)
  }

  #findAddress(content: Buffer): Marks | undefined {
    const words = addressWords(content)
    if (!words) return undefined
    let found = 0
    for (const { mask, base, marks } of this.#networks)
      if (base.length === words.length && isWithin(words, base, mask)) found |= marks
    return found
  }

  #place(key: string): Place {
    const place = this.#places.get(key) ?? { here: 0, below: 0, children: 0 }
    this.#places.set(key, place)
    return place
  }
}

function dnsNameOf(content: Buffer): string | undefined {
  const name = content.toString('latin1')
  return DNS_NAME.test(name) && labelsOf(name) <= MAX_PARTS ? name.toLowerCase() : undefined
}

function dnsBaseOf(content: Buffer): string | undefined {
  const base = content.toString('latin1')
  return DNS_BASE.test(base) && labelsOf(base) <= MAX_PARTS ? base.toLowerCase() : undefined
}

function labelsOf(name: string): number {
  let labels = 1
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) labels += 1
  return labels
}

/** What follows the first label; the name itself when it is the only one. */
function parentOf(name: string): string {
  return name.slice(name.indexOf('.') + 1)
}

/** A directory name and all that it lies below, the top first; each as its own bytes behind a stroke. */
function directoryKeys(type: number, content: Buffer): readonly string[] | undefined {
  if (type !== nameTypes.directory) return undefined
  const name = expectTag(parseDer(content), tags.sequence)
  const parts = membersOf(name)
  if (parts.length > MAX_PARTS) return undefined
  const bytes = name.content.toString('latin1')
  let end = 0
  const keys = ['/']
  for (const { whole } of parts) {
    end += whole.length
    keys.push(`/${bytes.slice(0, end)}`)
  }
  return keys
}

function isWithin(words: Words, base: Words, mask: Words): boolean {
  for (let index = 0; index < words.length; index++)
    if (((words[index] ?? 0) & (mask[index] ?? 0)) !== base[index]) return false
  return true
}
