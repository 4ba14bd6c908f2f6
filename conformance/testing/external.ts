/** Endpoints of somebody else: one that is admitted all the time, and one that scenarios register. */
export const EXTERNAL = 'vendor'
export const DOUBTED = 'doubted'

/** The hostname that the evidence of the first one is for. */
export const EXTERNAL_HOSTNAME = 'vendor.localhost'

/** Models that an upstream serves, by what they are to the suite; what only backends of a router's own have is missing. */
export const externalModels = {
  chat: 'vendor/tiny-chat',
  other: 'vendor/other',
  slashed: 'vendor/tiny-chat',
  completions: 'vendor/writer',
  embeddings: 'vendor/embedder',
  free: 'vendor/free',
  small: 'vendor/small',
  continuous: 'vendor/continuous',
  external: 'vendor/tiny-chat',
}

/** Makes the entry of a model in a router's configuration. */
type ModelOf = (id: string, changes: object) => object

/** The models of a router's configuration that upstreams serve. */
export function externalModelsFor(modelOf: ModelOf, prices: object): readonly object[] {
  const at = (endpoint: string, usage = 'final') => ({
    endpoint,
    backends: undefined,
    upstream: { model: 'tiny-chat', usage },
  })
  const vendor = at(EXTERNAL)
  return [
    modelOf(externalModels.chat, { ...vendor, name: 'Tiny Chat', pricing: prices }),
    modelOf(externalModels.other, vendor),
    modelOf(externalModels.completions, { ...vendor, capabilities: ['completions'] }),
    modelOf(externalModels.embeddings, { ...vendor, capabilities: ['embeddings'] }),
    modelOf(externalModels.free, { ...vendor, pricing: { promptPer1mMicros: 0, completionPer1mMicros: 0 } }),
    modelOf(externalModels.small, { ...vendor, contextLength: 4_096, maxOutputTokens: 4_000 }),
    modelOf(externalModels.continuous, at(EXTERNAL, 'continuous')),
    modelOf(DOUBTED, { ...at(DOUBTED), capabilities: ['chat', 'completions', 'embeddings'] }),
  ]
}
