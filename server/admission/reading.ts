import { ApiError } from '../errors.ts'
import type { ObjectCheck } from '../json/check.ts'
import type { Operation } from '../operation.ts'
import type { RequestBody } from './body-fields.ts'
import { type InferenceRequest, type JudgedModel, parseName, parseRequest } from './request.ts'

/** Models by their ids: there may be thousands, and each body names one. */
export type JudgedModels<Model extends JudgedModel = JudgedModel> = ReadonlyMap<string, Model>

/** What is asked of one model: read, or refused. */
export type ReadRequest = InferenceRequest | ApiError

/** What a body says, as far as the models decide about it; who sent it decides nothing here. */
export type BodyReading =
  /** Refused before it named a model. */
  | { readonly refusal: ApiError }
  | {
      readonly refusal?: undefined
      readonly body: RequestBody
      /** The id that it names; there may be no such model. */
      readonly name: string
      /** What it asks of that model, and of each that may serve in its place; empty when there is none. */
      readonly requests: ReadonlyMap<string, ReadRequest>
    }

/**
 * Reads a body for whichever of `models` it names. The same for a small body, on the spot, and for a large one, in a
 * thread of its own: it depends on nothing else. Throws nothing that the caller is to be told.
 */
export function readFor(
  operation: Operation,
  bytes: Buffer,
  models: JudgedModels,
  check?: ObjectCheck,
): BodyReading {
  const named = attempt(() => parseName(operation, bytes, check))
  if (named instanceof ApiError) return { refusal: named }
  const { body, name } = named
  const requests = new Map<string, ReadRequest>()
  const model = models.get(name)
  for (const one of model ? [model, ...fallbacksOf(operation, model, models)] : []) {
    const request = attempt(() => parseRequest(operation, { body, model: one }))
    requests.set(one.id, request)
    // What is refused at the model itself is asked of no other.
    if (request instanceof ApiError) break
  }
  return { body, name, requests }
}

/** The models that may serve in place of another, in the order in which it names them; none unless configured. */
export function fallbacksOf<Model extends JudgedModel>(
  operation: Operation,
  { fallbacks = [] }: JudgedModel,
  models: JudgedModels<Model>,
): Model[] {
  return [...new Set(fallbacks)].flatMap((id) => {
    const other = models.get(id)
    return other?.capabilities.includes(operation) ? [other] : []
  })
}

/** The request at a model that was read for. Throws its refusal. */
export function requestAt(reading: BodyReading, model: { readonly id: string }): InferenceRequest {
  if (reading.refusal !== undefined) throw reading.refusal
  const request = reading.requests.get(model.id)
  if (request === undefined) throw new Error('a body was not read for a model that it may go to')
  if (request instanceof ApiError) throw request
  return request
}

function attempt<Result>(read: () => Result): Result | ApiError {
  try {
    return read()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
}
