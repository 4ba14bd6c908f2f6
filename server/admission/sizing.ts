import { AMBIGUOUS, nameReader, type ReadName, UNKNOWN } from '../json/names.ts'
import { byte, nextInside, skipSpace, skipString, skipValue } from '../json/scan.ts'
import { textBytes } from '../json/text.ts'

/** What one walk over the messages of a chat learns; the text itself is not kept (REQ-28, SRV-14). */
export interface MeasuredMessages {
  /** UTF-8 bytes of text parts and tool arguments. */
  readonly textBytes: number
  /** Whether an image, audio or file part is present, whose tokens no byte count bounds. */
  readonly hasOtherParts: boolean
  /** Parts of these kinds, as far as their types tell. */
  readonly images: number
  readonly audios: number
}

/** How the parts of these kinds are called by OpenAI and by vLLM. */
const partTypes = {
  text: ['text', 'refusal'],
  image: ['image_url', 'input_image', 'image', 'image_embeds'],
  audio: ['input_audio', 'audio_url', 'audio'],
} as const
const types = Object.entries(partTypes).flatMap(([kind, list]) => list.map((type) => ({ kind, type })))

/** The kinds of objects that are looked into. */
type Kind = 'message' | 'part' | 'call' | 'called'

/** What becomes of a member's value. */
type Meaning = 'text' | 'content' | 'calls' | 'called' | 'type'

/** The names that the walk goes by, with what they mean in each kind of object. */
const meanings: readonly (readonly [name: string, meanings: Readonly<Partial<Record<Kind, Meaning>>>])[] = [
  ['content', { message: 'content' }],
  ['reasoning_content', { message: 'text' }],
  ['tool_calls', { message: 'calls' }],
  ['function_call', { message: 'called' }],
  ['text', { part: 'text' }],
  ['refusal', { part: 'text' }],
  ['type', { part: 'type' }],
  ['function', { call: 'called' }],
  ['custom', { call: 'called' }],
  ['arguments', { called: 'text' }],
  ['input', { called: 'text' }],
]
const readNames = nameReader(meanings.map(([name]) => name))
const readTypes = nameReader(types.map(({ type }) => type))
const meaningOf = {
  message: meanings.map(([, { message }]) => message),
  part: meanings.map(([, { part }]) => part),
  call: meanings.map(([, { call }]) => call),
  called: meanings.map(([, { called }]) => called),
}

/**
 * Sizes the messages of a chat request in their bytes: the list that begins at `from`. Whatever has another shape than
 * expected counts nothing. A message with a name that another parser could take for one that is read here, or with
 * one that stands twice, counts whole and as if there were an image in it: nobody knows what the backend will see.
 */
export function sizeMessages(bytes: Buffer, from: number): MeasuredMessages {
  const walk = new MessageWalk(bytes)
  walk.messages(from)
  const { textBytes, hasOtherParts, images, audios } = walk
  return { textBytes, hasOtherParts, images, audios }
}

/** Plain loops and no closures: a body may hold a million messages. */
class MessageWalk {
  textBytes = 0
  hasOtherParts = false
  images = 0
  audios = 0
  readonly #bytes: Buffer
  readonly #readName: ReadName = readNames()
  readonly #readType: ReadName = readTypes()
  #isAmbiguous = false
  /** Place of the part's type among those that are known. */
  #type = UNKNOWN

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  messages(from: number): void {
    this.#list(from, 'message')
  }

  /** Each element of a list as an object of this kind. Scalars count nothing, so they are not even told apart. */
  #list(from: number, kind: Kind): number {
    const bytes = this.#bytes
    let at = from + 1
    for (;;) {
      at = nextInside(bytes, at)
      const first = bytes[at]
      if (first === byte.openBrace) at = this.#object(at, kind)
      else if (first === byte.quote) at = kind === 'part' ? this.#text(at) : skipString(bytes, at)
      else if (first === byte.openBracket) at = skipValue(bytes, at)
      else return at + 1
    }
  }

  #object(at: number, kind: Kind): number {
    if (kind === 'message') return this.#message(at)
    return kind === 'part' ? this.#part(at) : this.#members(at, kind)
  }

  #message(at: number): number {
    const before = this.textBytes
    this.#isAmbiguous = false
    const end = this.#members(at, 'message')
    if (!this.#isAmbiguous) return end
    this.textBytes = before + end - at
    this.hasOtherParts = true
    return end
  }

  /** A part of what is said; one without a type could be anything. */
  #part(at: number): number {
    this.#type = UNKNOWN
    const end = this.#members(at, 'part')
    const kind = types[this.#type]?.kind
    this.hasOtherParts ||= kind !== 'text'
    if (kind === 'image') this.images++
    if (kind === 'audio') this.audios++
    return end
  }

  #members(from: number, kind: Kind): number {
    const bytes = this.#bytes
    const meaning = meaningOf[kind]
    let seen = 0
    let at = from + 1
    for (;;) {
      at = nextInside(bytes, at)
      if (bytes[at] !== byte.quote) return at + 1
      const nameEnd = skipString(bytes, at)
      const place = this.#readName(bytes, at, nameEnd)
      at = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1)
      if (place < 0) {
        if (place === AMBIGUOUS) this.#isAmbiguous = true
        at = skipValue(bytes, at)
      } else {
        if ((seen & (1 << place)) !== 0) this.#isAmbiguous = true
        seen |= 1 << place
        at = this.#value(at, meaning[place])
      }
    }
  }

  #value(at: number, meaning: Meaning | undefined): number {
    const first = this.#bytes[at]
    if (meaning === 'content' && first === byte.openBracket) return this.#list(at, 'part')
    if (meaning === 'calls' && first === byte.openBracket) return this.#list(at, 'call')
    if (meaning === 'called' && first === byte.openBrace) return this.#members(at, 'called')
    if (meaning === 'text' || meaning === 'content') return this.#text(at)
    const end = skipValue(this.#bytes, at)
    // One that could be taken for another is another: no byte count bounds it.
    if (meaning === 'type' && first === byte.quote) this.#type = this.#readType(this.#bytes, at, end)
    return end
  }

  #text(at: number): number {
    if (this.#bytes[at] !== byte.quote) return skipValue(this.#bytes, at)
    const end = skipString(this.#bytes, at)
    this.textBytes += textBytes(this.#bytes, at, end)
    return end
  }
}

/** The router's own count of a prompt: a token for each four bytes, rounded up (MET-10). */
export function countPromptTokens(textBytes: number): number {
  return Math.ceil(textBytes / 4)
}
