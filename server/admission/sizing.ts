import { nameReader, type ReadName } from '../json/names.ts'
import { byte, skipString, skipValue } from '../json/scan.ts'
import { textBytes } from '../json/text.ts'
import { eachElement, eachMember } from '../json/walk.ts'

/** What one walk over the messages of a chat learns; the text itself is not kept (§1, decisions 2 and 3). */
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
const textTypes = new Set<unknown>(['text', 'refusal'])
const imageTypes = new Set<unknown>(['image_url', 'input_image', 'image', 'image_embeds'])
const audioTypes = new Set<unknown>(['input_audio', 'audio_url', 'audio'])

/** The names that the walk goes by. */
const READ_NAMES = [
  'arguments',
  'content',
  'function',
  'function_call',
  'reasoning_content',
  'refusal',
  'text',
  'tool_calls',
  'type',
]

/**
 * Sizes the messages of a chat request in their bytes: the list that begins at `from`. Whatever has another shape than
 * expected counts nothing. A message with a name that another parser could take for one that is read here, or with
 * one that stands twice, counts whole and as if there were an image in it: nobody knows what the backend will see.
 */
export function sizeMessages(bytes: Buffer, from: number): MeasuredMessages {
  const walk = new MessageWalk(bytes)
  eachElement(bytes, from, (at) => walk.message(at))
  const { textBytes, hasOtherParts, images, audios } = walk
  return { textBytes, hasOtherParts, images, audios }
}

class MessageWalk {
  textBytes = 0
  hasOtherParts = false
  images = 0
  audios = 0
  readonly #bytes: Buffer
  readonly #readName: ReadName
  #isAmbiguous = false

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#readName = nameReader(READ_NAMES)
  }

  message(at: number): number {
    const before = this.textBytes
    this.#isAmbiguous = false
    const end = this.#object(at, (name, value) => this.#messageMember(name, value))
    if (!this.#isAmbiguous) return end
    this.textBytes = before + end - at
    this.hasOtherParts = true
    return end
  }

  #messageMember(name: string, at: number): number {
    switch (name) {
      case 'content':
        return this.#bytes[at] === byte.openBracket
          ? eachElement(this.#bytes, at, (part) => this.#part(part))
          : this.#text(at)
      case 'reasoning_content':
        return this.#text(at)
      case 'tool_calls':
        return this.#bytes[at] === byte.openBracket
          ? eachElement(this.#bytes, at, (call) => this.#call(call))
          : skipValue(this.#bytes, at)
      case 'function_call':
        return this.#called(at)
      default:
        return skipValue(this.#bytes, at)
    }
  }

  /** A part of what is said; one without a type could be anything. */
  #part(at: number): number {
    if (this.#bytes[at] !== byte.openBrace) return this.#text(at)
    let type: unknown
    const end = this.#object(at, (name, value) => {
      if (name === 'text' || name === 'refusal') return this.#text(value)
      const valueEnd = skipValue(this.#bytes, value)
      if (name === 'type') type = this.#typeAt(value, valueEnd)
      return valueEnd
    })
    this.hasOtherParts ||= !textTypes.has(type)
    if (imageTypes.has(type)) this.images++
    if (audioTypes.has(type)) this.audios++
    return end
  }

  /** A type is a short word; whatever is longer, or no text, is none that is known here. */
  #typeAt(start: number, end: number): unknown {
    if (end - start > MAX_TYPE_BYTES || this.#bytes[start] !== byte.quote) return undefined
    return JSON.parse(this.#bytes.toString('utf8', start, end))
  }

  #call(at: number): number {
    return this.#object(at, (name, value) =>
      name === 'function' ? this.#called(value) : skipValue(this.#bytes, value),
    )
  }

  #called(at: number): number {
    return this.#object(at, (name, value) =>
      name === 'arguments' ? this.#text(value) : skipValue(this.#bytes, value),
    )
  }

  #text(at: number): number {
    if (this.#bytes[at] !== byte.quote) return skipValue(this.#bytes, at)
    const end = skipString(this.#bytes, at)
    this.textBytes += textBytes(this.#bytes, at, end)
    return end
  }

  /** Visits the members of an object that are read at all; of anything else none. */
  #object(at: number, visit: (name: string, value: number) => number): number {
    const bytes = this.#bytes
    if (bytes[at] !== byte.openBrace) return skipValue(bytes, at)
    const seen: string[] = []
    return eachMember(bytes, at, (start, end, value) => {
      const read = this.#readName(bytes, start, end)
      if (read === undefined) return skipValue(bytes, value)
      if (read === 'ambiguous' || seen.includes(read.known)) {
        this.#isAmbiguous = true
        return skipValue(bytes, value)
      }
      seen.push(read.known)
      return visit(read.known, value)
    })
  }
}

/** `"image_embeds"` with every letter escaped. */
const MAX_TYPE_BYTES = 74

/** The router's own count of a prompt: a token for each four bytes, rounded up (decisions, 3). */
export function countPromptTokens(textBytes: number): number {
  return Math.ceil(textBytes / 4)
}
