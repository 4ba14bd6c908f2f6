/** Any JSON value; objects have no prototype, so that no name in them is special. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object. */
export interface JsonObject {
  readonly [name: string]: Json | undefined
}

/** A document that was read, with the text of the top-level object's members as it stands there. */
export interface JsonDocument {
  readonly value: Json
  readonly members: ReadonlyMap<string, string>
}

/**
 * What is wrong with a document: no JSON, a name twice, something that two readers could read differently, or more of
 * it than is read.
 */
export type JsonFault = 'not_json' | 'duplicate_key' | 'ambiguous' | 'too_large'

/** Why a document was not read. */
export class JsonError extends Error {
  override readonly name = 'JsonError'
  readonly fault: JsonFault

  constructor(fault: JsonFault, cause?: unknown) {
    super(fault, { cause })
    this.fault = fault
  }
}

/** Whether a value is an object, neither null nor an array. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
