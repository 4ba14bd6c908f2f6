import type { ModelConfig } from '../config/router.ts'
import type { JudgedModels } from './reading.ts'
import type { JudgedModel } from './request.ts'

/** A model that serves every route; changes go on top. */
export function testModel(changes: Partial<ModelConfig> = {}): ModelConfig {
  return {
    id: 'demo',
    name: 'Demo',
    ownedBy: 'demo',
    created: 0,
    contextLength: 2_000,
    maxOutputTokens: 500,
    templateTokens: 10,
    pricing: { promptMicros: 1, completionMicros: 1 },
    capabilities: ['chat', 'completions', 'embeddings'],
    endpoint: { name: 'demo', hostname: 'a', evidence: { hostname: 'a', url: 'b', caFile: undefined } },
    backends: [],
    ...changes,
  }
}

/** As `readFor` wants them. */
export function byId<Model extends JudgedModel>(...models: readonly Model[]): JudgedModels<Model> {
  return new Map(models.map((model) => [model.id, model]))
}
