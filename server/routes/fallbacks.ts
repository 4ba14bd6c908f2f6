import { capOutput, holdMicros, type OutputCap } from '../admission/hold.ts'
import { fallbacksOf, type JudgedModels } from '../admission/reading.ts'
import type { InferenceRequest } from '../admission/request.ts'
import type { ServedModel } from '../config/router.ts'
import type { ServedBy } from '../metering/generation.ts'
import type { Operation } from '../operation.ts'
import type { Fallback, PrepareFallback } from '../relay/task.ts'
import { type PlacementDependencies, placeRequest } from '../upstreams/placement.ts'

/** One request at one model: what it can use there at most, and so cost. */
export interface SizedFor {
  readonly model: ServedModel
  readonly cap: OutputCap
  readonly tokens: Pick<ServedBy, 'promptBoundTokens' | 'outputCapTokens' | 'countedPromptTokens'>
  readonly holdMicros: number
}

/** Sizes a request for a model. */
export function sizeFor(model: ServedModel, request: InferenceRequest): SizedFor {
  const { prompt, outputCap, otherCap } = request
  const cap = capOutput(outputCap, prompt.largestBound, model)
  const mostTokens = Math.max(cap.tokens, Math.min(otherCap, model.contextLength))
  // Each prompt has an answer of its own, under a cap of its own.
  const outputCapTokens = mostTokens * prompt.count
  return {
    model,
    cap,
    tokens: {
      promptBoundTokens: prompt.bound,
      outputCapTokens,
      countedPromptTokens: Math.min(prompt.countedTokens, prompt.bound),
    },
    holdMicros: holdMicros(prompt.bound, outputCapTokens, model.pricing),
  }
}

/** The models that may serve in place of another, each with what the request can use of it; none unless configured. */
export function sizeFallbacks(
  operation: Operation,
  model: ServedModel,
  models: JudgedModels<ServedModel>,
  requestAt: (model: ServedModel) => InferenceRequest,
): SizedFor[] {
  return fallbacksOf(operation, model, models).map((other) => sizeFor(other, requestAt(other)))
}

/** Makes a model ready to serve in place of another: only where the key's scope and its verdict let it. */
export function preparing(
  { model, cap, tokens }: SizedFor,
  dependencies: PlacementDependencies,
  authorize: (model: ServedModel) => Promise<unknown>,
): PrepareFallback {
  return async (): Promise<Fallback> => {
    await authorize(model)
    const { endpoint, evidenceDigest, passage } = await placeRequest(model, dependencies, async () => {})
    return {
      served: { model: model.id, endpoint, evidenceDigest, pricing: model.pricing, ...tokens },
      ...additionsOf(cap),
      ...(passage && { passage }),
    }
  }
}

/** The output cap that a backend is told because the client named none. */
export function additionsOf({ sent }: OutputCap): { readonly additions?: Readonly<Record<string, string>> } {
  return sent === undefined ? {} : { additions: { max_tokens: String(sent) } }
}
