import { isObject } from '#base/object.ts'

/** The members of a delta or message that hold text which the model wrote. */
const textMembers = ['content', 'reasoning_content', 'reasoning', 'refusal'] as const

/** The same of a call; a function has arguments, and what OpenAI names a custom tool has an input. */
const callMembers = ['name', 'arguments', 'input'] as const

/** Whether a choice carries text, reasoning or a tool call: then it counts as one token at least (MET-09). */
export function carriesText(choice: unknown): boolean {
  if (!isObject(choice)) return false
  if (hasText(choice.text)) return true
  return [choice.delta, choice.message].some(
    (said) =>
      isObject(said) && (textMembers.some((name) => hasText(said[name])) || callsOf(said).some(hasCallText)),
  )
}

/** The one member of a chunk's choice that holds text, when no other does; the path to it. */
export function onlyTextOf(choice: unknown): readonly string[] | undefined {
  if (!isObject(choice) || choice.message !== undefined) return undefined
  const { delta } = choice
  if (typeof choice.text === 'string') return delta === undefined ? ['text'] : undefined
  if (hasText(choice.text) || !isObject(delta) || callsOf(delta).length > 0) return undefined
  const [first, ...others] = textMembers.filter((name) => hasText(delta[name]))
  if (first === undefined || others.length > 0) return undefined
  return typeof delta[first] === 'string' ? ['delta', first] : undefined
}

/** UTF-8 bytes of the text in a choice of a chunk or of a whole answer, reasoning and tool calls included. */
export function choiceTextBytes(choice: unknown): number {
  if (!isObject(choice)) return 0
  let bytes = textBytes(choice.text)
  for (const said of [choice.delta, choice.message]) {
    if (!isObject(said)) continue
    for (const name of textMembers) bytes += textBytes(said[name])
    for (const call of callsOf(said)) for (const name of callMembers) bytes += textBytes(call[name])
  }
  return bytes
}

type Call = Readonly<Record<string, unknown>>

function callsOf(holder: Readonly<Record<string, unknown>>): Call[] {
  const calls = Array.isArray(holder.tool_calls) ? (holder.tool_calls as unknown[]) : []
  const called = calls.filter(isObject).flatMap((call) => [call.function, call.custom])
  return [...called, holder.function_call].filter(isObject)
}

function hasCallText(call: Call): boolean {
  return callMembers.some((name) => hasText(call[name]))
}

/** Some backends send text as a list of parts. */
function hasText(value: unknown): boolean {
  return typeof value === 'string' ? value !== '' : Array.isArray(value) && value.length > 0
}

function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (!Array.isArray(value)) return 0
  return (value as unknown[]).reduce<number>(
    (sum, part) => sum + (isObject(part) ? textBytes(part.text) : 0),
    0,
  )
}
