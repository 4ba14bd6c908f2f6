import { byte, skipSpace } from '../json/scan.ts'
import type { OperationTraits } from '../operation.ts'
import type { RequestBody } from './body-fields.ts'
import {
  type BytesOfText,
  type ModelFigures,
  type PromptSize,
  sizeConversation,
  sizeTexts,
} from './prompt-size.ts'

/** How a prompt is read. */
export interface PromptShape {
  /** What the field must be, for people. */
  readonly wanted: string
  /** Whether the value that begins there can be a prompt at all. */
  readonly isPresent: (bytes: Buffer, at: number) => boolean
  /** Sizes the prompt; undefined when it is not what the field must be. */
  readonly size: (body: RequestBody, model: ModelFigures, traits: OperationTraits) => PromptSize | undefined
  /** What a validator is shown in place of a prompt that has been sized. */
  readonly sized: unknown
}

/** What bounds one of several texts. */
const bytesOf: Readonly<Record<OperationTraits['boundedBy'], BytesOfText>> = {
  body: (sent, _size, around) => sent + around,
  text: (_sent, size) => size,
}

/** The two shapes of prompts, by the name that the table of operations has for each. */
export const promptShapes: Readonly<Record<OperationTraits['shape'], PromptShape>> = {
  conversation: {
    wanted: 'a non-empty array',
    isPresent: isList,
    size: sizeConversation,
    sized: [{}],
  },
  texts: {
    wanted: 'a text, the tokens of one, or a list of either',
    isPresent: isTextOrList,
    size: (body, model, { prompt, boundedBy }) => sizeTexts(body, prompt, model, bytesOf[boundedBy]),
    sized: '.',
  },
}

function isList(bytes: Buffer, at: number): boolean {
  return bytes[at] === byte.openBracket && bytes[skipSpace(bytes, at + 1)] !== byte.closeBracket
}

function isTextOrList(bytes: Buffer, at: number): boolean {
  return isList(bytes, at) || (bytes[at] === byte.quote && bytes[at + 1] !== byte.quote)
}
