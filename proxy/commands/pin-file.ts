import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { type Document, isScalar, isSeq, parseDocument, type Scalar, type YAMLSeq } from 'yaml'
import { type Digest, parsePin, toHex } from '#attestation'
import { loadProxyConfig } from '../config/proxy.ts'

/** A change to the pins of one endpoint. */
export interface PinEdit {
  readonly kind: 'add' | 'remove'
  readonly digest: Digest
}

/**
 * Changes the pins of the endpoint at this place of a configuration file, and nothing else: comments and spelling stay.
 * The new file is in order before it takes the old one's place. Gives the pins that result.
 */
export function editPins(file: string, index: number, edit: PinEdit): readonly Digest[] {
  const path = realpathSync(file)
  const text = readFileSync(path, 'utf8')
  const scratch = `${path}.${process.pid}.new`
  try {
    writeFileSync(scratch, editText(text, index, edit), { mode: statSync(path).mode & 0o777 })
    const { pins } = loadProxyConfig(scratch, process.env).endpoints[index]!
    renameSync(scratch, path)
    return pins
  } finally {
    rmSync(scratch, { force: true })
  }
}

/** The text with one pin more or less. */
export function editText(text: string, index: number, edit: PinEdit): string {
  const wanted = parseDocument(text)
  change(pinsIn(wanted, index), edit)
  const seq = pinsIn(parseDocument(text), index)
  const spliced =
    edit.kind === 'add' ? insert(text, seq, edit.digest) : cut(text, seq, placeOf(seq, edit.digest))
  // Spelled as it was wherever that can be done; else as the YAML writer spells it, comments and all.
  const isAsWanted = isDeepStrictEqual(parseDocument(spliced).toJS(), wanted.toJS())
  return isAsWanted ? spliced : wanted.toString({ lineWidth: 0 })
}

type Pins = YAMLSeq<Scalar<string>>

function pinsIn(document: Document, index: number): Pins {
  const pins = document.getIn(['endpoints', index, 'pins'], true)
  if (isSeq(pins) && pins.items.every((item) => isScalar(item))) return pins as Pins
  throw new Error('The pins of this endpoint are not a list that can be edited; change the file by hand.')
}

function change(pins: Pins, { kind, digest }: PinEdit): void {
  if (kind === 'add') pins.add(toHex(digest) as never)
  else pins.delete(placeOf(pins, digest))
}

function placeOf({ items }: Pins, digest: Digest): number {
  const place = items.findIndex(({ value }) => digestIn(value) === digest)
  if (place !== -1) return place
  throw new Error('This pin comes from a variable of the environment; change it there.')
}

function digestIn(text: unknown): Digest | undefined {
  try {
    return parsePin(String(text))
  } catch {
    return undefined
  }
}

interface Place {
  readonly start: number
  readonly end: number
}

function spanOf({ range }: Scalar): Place {
  const [start = 0, end = 0] = range ?? []
  return { start, end }
}

function insert(text: string, { flow, items }: Pins, digest: Digest): string {
  const { start, end } = spanOf(items.at(-1)!)
  const quote = /^['"]/.exec(text.slice(start, end))?.[0] ?? ''
  const pin = `${quote}${toHex(digest)}${quote}`
  if (flow) return `${text.slice(0, end)}, ${pin}${text.slice(end)}`
  const line = lineAround(text, start)
  const lead = text.slice(line.start, start)
  const at = lineAround(text, end).end
  return `${text.slice(0, at)}\n${lead}${pin}${text.slice(at)}`
}

function cut(text: string, { flow, items }: Pins, place: number): string {
  const { start, end } = spanOf(items[place]!)
  if (!flow) {
    const line = lineAround(text, start)
    return text.slice(0, line.start) + text.slice(Math.min(line.end + 1, text.length))
  }
  const after = items[place + 1]
  const before = items[place - 1]
  if (after !== undefined) return text.slice(0, start) + text.slice(spanOf(after).start)
  return before === undefined ? text : text.slice(0, spanOf(before).end) + text.slice(end)
}

function lineAround(text: string, offset: number): Place {
  const end = text.indexOf('\n', offset)
  return { start: text.lastIndexOf('\n', offset - 1) + 1, end: end === -1 ? text.length : end }
}
