import { readLikeGo, type Struct } from '../../conformance/stand-ins/backend/go-reader.ts'
import { type Entry, type Ordered, parseOrdered } from '../../conformance/stand-ins/backend/ordered.ts'

/** What a backend finds in a body: null when it refuses it. */
export type Found = {
  readonly model: string
  /** Of each message, what it says. */
  readonly contents: readonly unknown[]
  readonly stream: boolean
  readonly max_tokens: number | null
  readonly include_usage: boolean
} | null

export type Reader = (body: string) => Found

const struct: Struct = {
  model: 'string',
  messages: { slice: { content: 'any' } },
  stream: 'bool',
  max_tokens: '*int',
  stream_options: { struct: { include_usage: 'bool' } },
}

const go: Reader = (body) => {
  const read = readLikeGo(body, struct)
  if (read === undefined) return null
  const options = read.stream_options as { include_usage: boolean } | null
  const messages = (read.messages ?? []) as { content: unknown }[]
  return {
    model: read.model as string,
    contents: messages.map(({ content }) => content),
    stream: read.stream as boolean,
    max_tokens: read.max_tokens as number | null,
    include_usage: options?.include_usage ?? false,
  }
}

/** Exact names, and the last of two: so does `JSON.parse`. */
const python: Reader = (body) => {
  try {
    const read = JSON.parse(body)
    if (typeof read !== 'object' || read === null || Array.isArray(read)) return null
    const messages = read.messages ?? []
    if (!Array.isArray(messages) || messages.some((each) => typeof each !== 'object')) return null
    return {
      model: read.model ?? '',
      contents: messages.map(({ content }) => content ?? null),
      stream: read.stream ?? false,
      max_tokens: read.max_tokens ?? null,
      include_usage: read.stream_options?.include_usage ?? false,
    }
  } catch {
    return null
  }
}

/** Exact names; a second one that is declared, anywhere, and a value of another type are errors. */
const serde: Reader = (body) => {
  const found = python(body)
  if (found === null || typeof found.model !== 'string') return null
  const top = entriesOf(parseOrdered(body))
  const inner = [
    ...valuesOf(top, 'stream_options').map((options) => ({ of: options, names: ['include_usage'] })),
  ]
  const messages = valuesOf(top, 'messages').flatMap((list) => list as readonly Ordered[])
  const objects = [
    { of: { members: top } as Ordered, names: Object.keys(struct) },
    ...inner,
    ...messages.map((of) => ({ of, names: ['content'] })),
  ]
  const isTwice = objects.some(({ of, names }) =>
    names.some((name) => valuesOf(entriesOf(of), name).length > 1),
  )
  return isTwice ? null : found
}

function entriesOf(value: Ordered): readonly Entry[] {
  return typeof value === 'object' && value !== null && 'members' in value ? value.members : []
}

function valuesOf(entries: readonly Entry[], name: string): Ordered[] {
  return entries.filter(([one]) => one === name).map(([, value]) => value)
}

/** The ways to read that are known of backends. */
export const readers = { go, python, serde }
