import type { ValidationError } from '#contract/validator'

/** The types of JSON, for people; null is left out, for it counts as absent (REQ-25). */
const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
}

/** What the value of a field must be, by the keyword of its schema that it breaks. */
const wordings: Readonly<Record<string, (params: ValidationError['params']) => string>> = {
  type: ({ type }) => `must be ${[type].flat().flatMap(nameOf).join(' or ')}`,
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  minItems: ({ limit }) => `must have at least ${limit} entries`,
  maxItems: ({ limit }) => `must have at most ${limit} entries`,
  enum: ({ allowedValues }) => `must be one of ${[allowedValues].flat().join(', ')}`,
}

/** Says what is wrong with a value, so that its sender knows what to send instead. */
export function describeMistake({ keyword, params, message }: ValidationError): string {
  return wordings[keyword]?.(params) ?? message ?? 'is not valid'
}

function nameOf(type: unknown): string[] {
  return type === 'null' ? [] : [types[String(type)] ?? String(type)]
}
