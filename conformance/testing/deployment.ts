import type { ConformanceFeature } from '#contract'

/** Limits of the deployment under test: short, so that nothing is waited for long. */
export const limits = {
  maxBodyBytes: 200_000,
  pingMs: 900,
  firstByteMs: 6_000,
  idleMs: 4_000,
  stalledClientMs: 2_000,
  evidencePollMs: 250,
  resignMs: 3_000,
}

/** Optional parts that the reference has so far. */
export const features: readonly ConformanceFeature[] = ['evidence']

/** The hostname that its evidence is for. */
export const HOSTNAME = 'router.localhost'

/** The page that may call it. */
export const ORIGIN = 'https://app.example'

/** Models of the deployment by what they are to the suite. */
export const targetModels = {
  chat: 'demo/tiny-chat',
  other: 'other',
  slashed: 'demo/tiny-chat',
  embeddings: 'embedder',
  free: 'free',
  small: 'small',
  continuous: 'continuous',
  unreachable: 'unreachable',
  failover: 'failover',
  twins: 'twins',
  unpublished: 'unpublished',
}

/** The models of the router's configuration; nothing listens at the closed address. */
export function modelsFor(backend: string, closed: string): readonly object[] {
  const usual = { url: backend, model: 'tiny-chat' }
  return [
    modelOf('demo/tiny-chat', { name: 'Tiny Chat' }),
    modelOf('other'),
    modelOf('embedder', { capabilities: ['embeddings'] }),
    modelOf('free', { pricing: { promptPer1mMicros: 0, completionPer1mMicros: 0 } }),
    modelOf('small', { contextLength: 4_096, maxOutputTokens: 4_000 }),
    modelOf('continuous', { backends: [{ ...usual, usage: 'continuous' }] }),
    modelOf('unreachable', { backends: [{ ...usual, url: closed }] }),
    modelOf('failover', { backends: [{ ...usual, url: closed }, usual] }),
    modelOf('unpublished', { endpoint: 'unfetched' }),
    modelOf('twins', {
      backends: [
        { ...usual, model: 'twin-a' },
        { ...usual, model: 'twin-b' },
      ],
    }),
  ]

  function modelOf(id: string, changes: object = {}): object {
    return {
      id,
      ownedBy: 'demo',
      created: 1_767_225_600,
      contextLength: 32_768,
      pricing: { promptPer1mMicros: 150_000, completionPer1mMicros: 600_000 },
      capabilities: ['chat'],
      endpoint: 'demo',
      backends: [usual],
      ...changes,
    }
  }
}
