/** The members of a delta or message that hold text which the model wrote. */
const textMembers = ['content', 'reasoning_content', 'reasoning', 'refusal'] as const

/** Whether a choice of a chunk carries text, reasoning or a tool call: then it counts as one token (decisions, 3). */
export function carriesText(choice: unknown): boolean {
  if (!isObject(choice)) return false
  if (hasText(choice.text)) return true
  const { delta } = choice
  if (!isObject(delta)) return false
  return textMembers.some((name) => hasText(delta[name])) || callsOf(delta).some(hasCallText)
}

/** The one member of a chunk's choice that holds text, when no other does; the path to it. */
export function onlyTextOf(choice: unknown): readonly string[] | undefined {
  if (!isObject(choice)) return undefined
  const { delta } = choice
  if (typeof choice.text === 'string') return delta === undefined ? ['text'] : undefined
  if (hasText(choice.text) || !isObject(delta) || callsOf(delta).length > 0) return undefined
  const [first, ...others] = textMembers.filter((name) => hasText(delta[name]))
  if (first === undefined || others.length > 0) return undefined
  return typeof delta[first] === 'string' ? ['delta', first] : undefined
}

/** UTF-8 bytes of all text in a whole answer, tool calls included. */
export function answerTextBytes(answer: Readonly<Record<string, unknown>>): number {
  if (!Array.isArray(answer.choices)) return 0
  let bytes = 0
  for (const choice of answer.choices as unknown[]) {
    if (!isObject(choice)) continue
    bytes += textBytes(choice.text)
    if (!isObject(choice.message)) continue
    for (const name of textMembers) bytes += textBytes(choice.message[name])
    for (const call of callsOf(choice.message)) bytes += textBytes(call.name) + textBytes(call.arguments)
  }
  return bytes
}

/** Whether JSON gave an object; arrays are none. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

type Call = Readonly<Record<string, unknown>>

function callsOf(holder: Readonly<Record<string, unknown>>): Call[] {
  const calls = Array.isArray(holder.tool_calls) ? (holder.tool_calls as unknown[]) : []
  const functions = calls.map((call) => (isObject(call) ? call.function : undefined))
  return [...functions, holder.function_call].filter(isObject)
}

function hasCallText(call: Call): boolean {
  return hasText(call.name) || hasText(call.arguments)
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
