import { isObject } from '#base/object.ts'
import type { RuleId } from '#contract/rules'
import type { Validator } from '#contract/validator'
import { isChatCompletion } from '#contract/validators/chat-completion'
import { isChatCompletionChunk } from '#contract/validators/chat-completion-chunk'
import { isCompletion } from '#contract/validators/completion'
import { isCompletionChunk } from '#contract/validators/completion-chunk'
import { isEmbeddingList } from '#contract/validators/embedding-list'
import { isErrorBody } from '#contract/validators/error-body'
import { isGenerationResult } from '#contract/validators/generation-result'
import { isModel } from '#contract/validators/model'
import { isModelList } from '#contract/validators/model-list'
import { settled } from './open.ts'

/** The form of a body, and whose rule each of its members keeps. */
export interface Form {
  readonly validate: Validator
  /** Rules by where a mistake is; the first that fits. */
  readonly members: readonly (readonly [RegExp, readonly RuleId[]])[]
  /** Rules of the rest. */
  readonly rules: readonly RuleId[]
  /** One that is right, whose members take the place of wrong ones until all mistakes are found. */
  readonly sample: unknown
}

/** Something in a body that is not as its form says. */
export interface Mistake {
  /** Where it is: `/usage/cost_micros`. */
  readonly path: string
  readonly rules: readonly RuleId[]
  readonly problem: string
  /** Whether an object or a list is missing, in which others are read. */
  readonly isStructural: boolean
}

const GENERATION = `gen-${'0'.repeat(26)}`
const plainUsage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
const usage = { ...plainUsage, cost_micros: 1, endpoint: 'own', evidence_digest: null }
const message = { role: 'assistant', content: 'Hello' }
const delta = { role: 'assistant', content: 'Hello', tool_calls: [] }
const head = { id: GENERATION, created: 1, model: 'a/model', usage }

const record = {
  id: GENERATION,
  model: 'a/model',
  endpoint: 'own',
  created_at: '2026-01-01T00:00:00Z',
  operation: 'chat',
  streamed: false,
  status: 'ok',
  finish_reason: 'stop',
  evidence_digest: null,
  ...plainUsage,
  cost_micros: 1,
  latency_ms: 1,
  time_to_first_token_ms: 1,
  tokens_per_second: 1,
  usage_source: 'backend',
  ledger: { id: `led_${'0'.repeat(26)}`, amount_micros: -1 },
}

const EXTENSION = /^\/usage\/(cost_micros|endpoint|evidence_digest)$/

/** `id` and the fields that stand in `usage` beside OpenAI's are the router's own; the rest is OpenAI's. */
const extended = [
  [/^\/id$/, ['CHAT-02']],
  [EXTENSION, ['CHAT-05']],
  [/^\/usage$/, ['CHAT-05']],
] as const satisfies Form['members']

/** Of texts and vectors the given specification says no more than that they are OpenAI's. */
const extendedText = [[/^\/(id|usage\/(cost_micros|endpoint|evidence_digest))$/, ['CHAT-17']]] as const

/** The forms that every answer of theirs is held to. */
export const forms = {
  chat: {
    validate: isChatCompletion,
    members: extended,
    rules: ['CHAT-01'],
    sample: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] },
  },
  chatChunk: {
    validate: isChatCompletionChunk,
    members: extended,
    rules: ['STRM-08'],
    sample: { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }] },
  },
  completion: {
    validate: isCompletion,
    members: extendedText,
    rules: ['REQ-12'],
    sample: { ...head, object: 'text_completion', choices: [{ index: 0, text: '', finish_reason: 'stop' }] },
  },
  completionChunk: {
    validate: isCompletionChunk,
    members: extendedText,
    rules: ['EP-10'],
    sample: { ...head, object: 'text_completion', choices: [{ index: 0, text: '', finish_reason: null }] },
  },
  embeddings: {
    validate: isEmbeddingList,
    members: [[EXTENSION, ['CHAT-16']]],
    rules: ['REQ-12'],
    sample: { ...head, object: 'list', data: [{ object: 'embedding', index: 0, embedding: [0] }] },
  },
  models: {
    validate: isModelList,
    members: [
      [/^(\/object|\/data|\/data\/\d+\/id)$/, ['MODL-05']],
      [/^\/data\/\d+\/context_length$/, ['MODL-02']],
      [/^\/data\/\d+\/(object|created|owned_by)$/, ['MODL-13']],
      [/^\/data\/\d+\/endpoint/, ['MODL-15']],
      [/^\/data\/\d+\/pricing/, ['MODL-16']],
      [/^\/data\/\d+\/capabilities/, ['MODL-17']],
    ],
    rules: ['MODL-14'],
    sample: { object: 'list', data: [] },
  },
  model: {
    validate: isModel,
    members: [
      [/^\/id$/, ['MODL-01']],
      [/^\/context_length$/, ['MODL-02']],
      [/^\/(object|created|owned_by)$/, ['MODL-13']],
      [/^\/endpoint/, ['MODL-15']],
      [/^\/pricing/, ['MODL-16']],
      [/^\/capabilities/, ['MODL-17']],
    ],
    rules: ['MODL-14'],
    sample: {
      ...{ id: 'a/model', object: 'model', created: 1, owned_by: 'own', name: 'A model' },
      ...{ context_length: 1, max_output_tokens: 1, capabilities: ['chat'] },
      pricing: { prompt_per_1m_micros: 1, completion_per_1m_micros: 1 },
      endpoint: { name: 'own', hostname: 'own.example' },
    },
  },
  record: {
    validate: isGenerationResult,
    members: [
      [/^\/data\/status$/, ['GEN-05']],
      [/^\/data\/\w*(tokens|cost_micros|_ms|per_second)$/, ['GEN-20']],
      [/^\/data\/(usage_source|ledger)/, ['GEN-21']],
    ],
    rules: ['GEN-19'],
    sample: { data: record },
  },
  error: {
    validate: isErrorBody,
    // What values these two have is left open.
    members: [[/^\/(stage|reason)$/, ['ERR-47']]],
    rules: ['ERR-01', 'ERR-03'],
    sample: { error: { message: 'No.', type: 'server_error', code: 'internal', param: 'x' } },
  },
} as const satisfies Record<string, Form>

/** Whether a body or an event is an error; a null of that name is none. */
export function isError(value: unknown): boolean {
  return isObject(value) && (value.error ?? undefined) !== undefined
}

/** More mistakes than a body is told of (ours). */
const MAX_MISTAKES = 12

/** Finds what is wrong in a body, each member by its own rule; what the given specification leaves open is right. */
export function mistakesIn(value: unknown, form: Form): readonly Mistake[] {
  const mistakes = new Map<string, Mistake>()
  let mended = settled(value)
  for (let turn = 0; turn < MAX_MISTAKES && !form.validate(mended); turn++) {
    const { instancePath = '', message: what = 'is wrong', keyword, params } = form.validate.errors?.[0] ?? {}
    const at = keyword === 'required' ? `${instancePath}/${String(params?.missingProperty)}` : instancePath
    // Mended in vain: what stands around it is taken whole.
    const path = mistakes.has(at) ? at.slice(0, at.indexOf('/', 1)) : at
    if (mistakes.has(path)) break
    const rules = form.members.find(([where]) => where.test(at))?.[1] ?? form.rules
    const names = path.split('/').slice(1)
    const inner = memberOf(form.sample, names)
    const isStructural = isObject(inner) || Array.isArray(inner)
    mistakes.set(path, { path, rules, problem: `${instancePath || 'it'} ${what}`, isStructural })
    mended = mend(mended, form.sample, names)
  }
  return [...mistakes.values()]
}

function memberOf(sample: unknown, names: readonly string[]): unknown {
  return names.reduce<unknown>(
    (found, name) => (Array.isArray(found) ? found[0] : isObject(found) ? found[name] : undefined),
    sample,
  )
}

/** A copy with the member of a sample at that place. */
function mend(value: unknown, sample: unknown, [name, ...path]: readonly string[]): unknown {
  if (name === undefined) return sample
  const inner = isObject(sample) ? sample[name] : Array.isArray(sample) ? sample[0] : undefined
  if (Array.isArray(value)) {
    return value.map((one, index) => (String(index) === name ? mend(one, inner, path) : one))
  }
  if (!isObject(value)) return sample
  const mended = path.length === 0 ? inner : mend(value[name], inner, path)
  const { [name]: _, ...others } = value
  return mended === undefined ? others : { ...others, [name]: mended }
}
