import type { ServedModel } from '../config/router.ts'
import { findMember, type Member, type ScannedObject } from '../json/members.ts'
import { outlineOf } from '../json/outline.ts'
import { byte } from '../json/scan.ts'
import type { RequestBody } from './body-fields.ts'
import { boundBytes, boundPrompt, type ModelSizes } from './hold.ts'
import { countPromptTokens, sizeMessages } from './sizing.ts'
import { eachText } from './texts.ts'

/** What is known of a prompt, or of several in one request, without keeping any of it. */
export interface PromptSize {
  /** The most tokens that all of them together can have (CRED-06). */
  readonly bound: number
  /** The most that one of them can have. */
  readonly largestBound: number
  /** How many there are; each has its own answer. */
  readonly count: number
  /** The router's own count of all (MET-10). */
  readonly countedTokens: number
  /** Of those that were sent as tokens, the most in one. */
  readonly mostTokens: number
  readonly hasOtherParts: boolean
}

/** What bounds one text: the bytes that were sent for it, those of the text itself or its tokens, and all around. */
export type BytesOfText = (sentBytes: number, size: number, aroundBytes: number) => number

/** What of a model tells how large a prompt is: what it holds, and for how many tokens it takes what is no text. */
export type ModelFigures = ModelSizes & Pick<ServedModel, 'imageTokens' | 'audioTokens'>

/**
 * A conversation is one prompt. No tokenizer makes more tokens than its body has bytes; but a chat template of the
 * client's own can make a prompt of any length of it.
 */
export function sizeConversation(body: RequestBody, model: ModelFigures): PromptSize {
  const { bytes, span } = body
  const { imageTokens = 0, audioTokens = 0 } = model
  const { valueStart } = findMember(span, 'messages')!
  const { textBytes, images, audios, ...measured } = sizeMessages(bytes, valueStart)
  const hasOtherParts = measured.hasOtherParts || isRewritten(body)
  const bound = boundPrompt({ bytes: bytes.length, hasOtherParts }, model)
  // Tool schemas are part of the prompt; their bytes as sent are counted (MET-10).
  const textTokens = countPromptTokens(textBytes + listBytes(bytes, findMember(span, 'tools')))
  const countedTokens = textTokens + images * imageTokens + audios * audioTokens
  return { bound, largestBound: bound, count: 1, countedTokens, mostTokens: 0, hasOtherParts }
}

/** Texts, or their tokens, each bounded by itself; undefined when the field holds anything else. */
export function sizeTexts(
  { bytes, span }: ScannedObject,
  field: string,
  model: ModelSizes,
  bytesOf: BytesOfText,
): PromptSize | undefined {
  const { valueStart, end: valueEnd } = findMember(span, field)!
  const aroundBytes = bytes.length - (valueEnd - valueStart)
  let [count, allBytes, allTokens, mostTokens, bound, largestBound] = [0, 0, 0, 0, 0, 0]
  const isSized = eachText(bytes, valueStart, (start, end, textBytes, tokens) => {
    count++
    allBytes += textBytes
    allTokens += tokens
    mostTokens = Math.max(mostTokens, tokens)
    const one = boundBytes(bytesOf(end - start, textBytes + tokens, aroundBytes), model)
    bound += one
    largestBound = Math.max(largestBound, one)
  })
  if (!isSized) return undefined
  const countedTokens = allTokens + countPromptTokens(allBytes)
  return { bound, largestBound, count, countedTokens, mostTokens, hasOtherParts: false }
}

/** Where the longest of several texts stands, as it was sent; undefined when there is none but tokens. */
export function longestText(
  { bytes, span }: ScannedObject,
  field: string,
): { start: number; end: number; textBytes: number } | undefined {
  let longest: { start: number; end: number; textBytes: number } | undefined
  eachText(bytes, findMember(span, field)!.valueStart, (start, end, textBytes) => {
    if (textBytes > (longest?.textBytes ?? 0)) longest = { start, end, textBytes }
  })
  return longest
}

/** A template of the client's, and what LiteLLM lays over the request: other messages, with images in them. */
const REWRITING = ['chat_template', 'extra_body']

function isRewritten({ bytes, span }: RequestBody): boolean {
  return span.members.some(
    ({ folded, valueStart, end }) =>
      REWRITING.includes(folded ?? '') && outlineOf(bytes, valueStart, end) !== null,
  )
}

/** Null is as good as absent (REQ-25). */
function listBytes(bytes: Buffer, member: Member | undefined): number {
  return member !== undefined && bytes[member.valueStart] === byte.openBracket
    ? member.end - member.valueStart
    : 0
}
