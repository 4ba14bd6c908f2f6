import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { declaredLength } from '../bodies/body.ts'

/** A request as it lies on the wire, all of it. */
interface Whole {
  /** SHA-256 of its head, where the length of its body is left out: a head holds a key, and is not kept. */
  readonly likeness: string
  readonly headBytes: number
  readonly bodyBytes: number
}

/** The length of a body that is no empty one, and what stands around it on its line. */
const LENGTH = /\r\ncontent-length: ?([1-9]\d{0,7})(?=\r\n)/i

/** A line end that is none to everybody. */
const BARE = /(?:^|[^\r])\n|\r(?!\n)/

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
  readonly #known = new Map<string, Known>()

  /** Remembers what its parser found in a head, where that says nothing of how its connection goes on. */
  learn(head: Buffer, request: IncomingMessage, known: Known): void {
    const { headers, httpVersion } = request
    const { connection = 'keep-alive', upgrade, expect, 'transfer-encoding': coding } = headers
    const isPlain = connection.toLowerCase() === 'keep-alive' && (upgrade ?? expect ?? coding) === undefined
    if (!isPlain || httpVersion !== '1.1') return
    const whole = read(head)
    if (whole?.headBytes !== head.length || BARE.test(head.toString('latin1'))) return
    if (declaredLength(request) !== whole.bodyBytes) return
    if (this.#known.size >= MOST_HEADS) this.#known.clear()
    this.#known.set(whole.likeness, known)
  }

  /** What is known of the head of a request; undefined where these bytes are not exactly one whose head was learnt. */
  recognize(bytes: Buffer): Known | undefined {
    if (this.#known.size === 0) return undefined
    const whole = read(bytes)
    if (whole === undefined || bytes.length !== whole.headBytes + whole.bodyBytes) return undefined
    return this.#known.get(whole.likeness)
  }
}

function read(bytes: Buffer): Whole | undefined {
  const most = bytes.toString('latin1', 0, MOST_HEAD_BYTES)
  const end = most.indexOf(END)
  const length = LENGTH.exec(most)
  if (length === null || length.index >= end) return undefined
  const headBytes = end + END.length
  const afterLength = length.index + length[0].length
  const digits = length[1]!
  // No head has a byte of this kind: nothing else can stand for the length.
  const but = `${most.slice(0, afterLength - digits.length)}\0${most.slice(afterLength, headBytes)}`
  return { likeness: hash('sha256', but, 'base64'), headBytes, bodyBytes: Number(digits) }
}
