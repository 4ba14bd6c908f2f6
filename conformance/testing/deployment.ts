import type { ConformanceFeature } from '#contract/models'
import { DOUBTED, externalModels, externalModelsFor } from './external.ts'

/** Limits of the deployment under test: short, so that nothing is waited for long, and long beside a busy machine's pauses. */
export const limits = {
  maxBodyBytes: 200_000,
  pingMs: 900,
  firstByteMs: 14_000,
  idleMs: 12_000,
  stalledClientMs: 2_000,
  evidencePollMs: 250,
  resignMs: 3_000,
  requestsPerMinute: 240,
  drainMs: 1_000,
  bodyMemoryBytes: 400_000,
  maxRequests: 10,
}

/** Optional parts that the reference has so far. */
export const features: readonly ConformanceFeature[] = [
  'completions',
  'embeddings',
  'invitations',
  'evidence',
  'upstreams',
  'rate-limits',
  'policies',
]

/** The hostname that its evidence is for. */
export const HOSTNAME = 'router.localhost'

/** An own endpoint for which anything can be published. */
export const PUBLISHED = 'published.localhost'

/** The page that may call it. */
export const ORIGIN = 'https://app.example'

/** Who administers its router. */
export const ADMINISTRATOR = 'admin@suite.example'

/** Models of the deployment by what they are to the suite. */
export const targetModels = {
  chat: 'demo/tiny-chat',
  other: 'other',
  slashed: 'demo/tiny-chat',
  completions: 'writer',
  embeddings: 'embedder',
  free: 'free',
  small: 'small',
  continuous: 'continuous',
  unreachable: 'unreachable',
  failover: 'failover',
  twins: 'twins',
  replicas: 'replicas',
  unserved: 'unserved',
  standIn: 'stand-in',
  fragile: 'fragile',
  unpublished: 'unpublished',
  published: 'published',
  tokenized: 'tokenized',
  external: externalModels.external,
  doubted: DOUBTED,
}

/** Micro-dollars per million tokens: at the router, and for the model `chat` at its sibling. */
export const PRICES = { promptPer1mMicros: 150_000, completionPer1mMicros: 600_000 }
export const SIBLING_PRICES = { promptPer1mMicros: 310_000, completionPer1mMicros: 1_370_000 }

/** Where the models of a router run. */
export interface BackendAddresses {
  readonly usual: string
  /** The same one, through a wire. */
  readonly wired: string
  /** Nothing listens there. */
  readonly closed: string
}

/** The models of a router's configuration. */
export function modelsFor(
  { usual: url, wired, closed }: BackendAddresses,
  prices: object,
): readonly object[] {
  const usual = { url, model: 'tiny-chat' }
  return [
    modelOf('demo/tiny-chat', { name: 'Tiny Chat', pricing: prices }),
    modelOf('other'),
    modelOf('writer', { capabilities: ['completions'] }),
    modelOf('embedder', { capabilities: ['embeddings'] }),
    modelOf('tokenized', {
      contextLength: 4_096,
      capabilities: ['chat', 'completions', 'embeddings'],
      backends: [{ ...usual, tokenizeUrl: new URL('/tokenize', url).href }],
    }),
    // Wide enough for one answer to use up the tokens of a minute.
    modelOf('free', {
      contextLength: 100_000_000,
      pricing: { promptPer1mMicros: 0, completionPer1mMicros: 0 },
    }),
    modelOf('small', { contextLength: 4_096, maxOutputTokens: 4_000 }),
    modelOf('continuous', { backends: [{ ...usual, usage: 'continuous' }] }),
    modelOf('unreachable', { backends: [{ ...usual, url: closed }] }),
    modelOf('failover', { backends: [{ ...usual, url: closed }, usual] }),
    modelOf('unpublished', { endpoint: 'unfetched' }),
    modelOf('published', { endpoint: 'published' }),
    modelOf('fragile', {
      backends: [
        { url: wired, model: 'fragile-a' },
        { ...usual, model: 'fragile-b' },
      ],
    }),
    modelOf('unserved', { backends: [{ ...usual, url: closed }], fallbacks: ['stand-in'] }),
    modelOf('stand-in', { contextLength: 40_000, pricing: SIBLING_PRICES }),
    modelOf('replicas', {
      backends: [
        { ...usual, model: 'replica-a' },
        { ...usual, model: 'replica-b' },
      ],
    }),
    modelOf('twins', {
      backends: [
        { ...usual, model: 'twin-a' },
        { ...usual, model: 'twin-b' },
      ],
    }),
    ...externalModelsFor(modelOf, prices),
  ]

  function modelOf(id: string, changes: object = {}): object {
    return {
      id,
      ownedBy: 'demo',
      created: 1_767_225_600,
      contextLength: 32_768,
      pricing: PRICES,
      capabilities: ['chat'],
      endpoint: 'demo',
      backends: [usual],
      ...changes,
    }
  }
}
