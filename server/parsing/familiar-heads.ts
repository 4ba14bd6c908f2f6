import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { declaredLength } from '../bodies/body.ts'

/** The head of a request as it lies on the wire. */
interface Head {
  readonly text: string
  /** Where the digits of its body's length stand in it. */
  readonly digitsAt: number
  readonly digits: string
}

/** The length of a body that is no empty one. */
const LENGTH = /\r\ncontent-length: ?([1-9]\d{0,7})(?=\r\n)/i

const END = '\r\n\r\n'

/** Longer ones come in more than one slice, see `ParseTurns` (ours). */
const MOST_HEAD_BYTES = 1_024

/** As many are remembered; then all are forgotten (ours). */
const MOST_HEADS = 1_024

/**
 * What is known of heads that Node's parser has read. A head that is the same byte for byte, but for the digits of its
 * body's length, says the same: so a request that comes again can be told without that parser, and without a second
 * one that could take it for another.
 */
export class FamiliarHeads<Known> {
  /** By what is the same of them, as its SHA-256: a head holds a key, and is not kept. */
  readonly #known = new Map<string, Known>()

  /** Remembers what is known of a request by its head, unless that asks for more than an answer on a connection that goes on. */
  learn(bytes: Buffer, { req: request, shouldKeepAlive }: ServerResponse, known: Known): void {
    const { upgrade, expect } = request.headers
    if (!shouldKeepAlive || (upgrade ?? expect) !== undefined) return
    const head = readHead(bytes)
    // Nobody but Node's parser says which length it is; it takes neither two nor one beside chunks.
    if (head?.text.length !== bytes.length || declaredLength(request) !== Number(head.digits)) return
    const likeness = likenessOf(head)
    if (this.#known.has(likeness)) return
    if (this.#known.size >= MOST_HEADS) this.#known.clear()
    this.#known.set(likeness, known)
  }

  /** What is known of the head of a request; undefined where these bytes are not exactly one whose head was learnt. */
  recognize(bytes: Buffer): Known | undefined {
    if (this.#known.size === 0) return undefined
    const head = readHead(bytes)
    if (head === undefined || bytes.length !== head.text.length + Number(head.digits)) return undefined
    return this.#known.get(likenessOf(head))
  }
}

/** Each of its characters is one byte. */
function readHead(bytes: Buffer): Head | undefined {
  const beginning = bytes.toString('latin1', 0, MOST_HEAD_BYTES)
  const end = beginning.indexOf(END)
  const length = LENGTH.exec(beginning)
  if (length === null || length.index >= end) return undefined
  const digits = length[1]!
  const digitsAt = length.index + length[0].length - digits.length
  return { text: beginning.slice(0, end + END.length), digitsAt, digits }
}

function likenessOf({ text, digitsAt, digits }: Head): string {
  // Node takes no head with a zero byte: in one that was learnt it stands for the length alone.
  return hash('sha256', `${text.slice(0, digitsAt)}\0${text.slice(digitsAt + digits.length)}`, 'base64')
}
