/**
 * Metric and attribute names of OpenTelemetry's semantic conventions, generative AI and HTTP, as far as they go; copied,
 * so that no package with thousands of names is loaded for these few. What they do not name begins with `router.`.
 */
export const names = {
  requestDuration: 'gen_ai.server.request.duration',
  timeToFirstToken: 'gen_ai.server.time_to_first_token',
  timePerOutputToken: 'gen_ai.server.time_per_output_token',
  tokenUsage: 'gen_ai.client.token.usage',
  httpDuration: 'http.server.request.duration',
  httpActive: 'http.server.active_requests',
} as const

/** Attributes of series and of spans. */
export const attributes = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  model: 'gen_ai.request.model',
  tokenType: 'gen_ai.token.type',
  error: 'error.type',
  method: 'http.request.method',
  route: 'http.route',
  status: 'http.response.status_code',
} as const

/** Attributes of spans alone: what has too many values for a series. */
export const spanAttributes = {
  generation: 'gen_ai.response.id',
  servedModel: 'gen_ai.response.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  workspace: 'router.workspace.id',
  key: 'router.key.id',
  backend: 'router.backend',
  upstream: 'router.upstream',
  evidence: 'router.evidence.digest',
  stage: 'router.attestation.stage',
  usageSource: 'router.usage.source',
} as const

/** Who answers, as far as a client of the router can tell. */
export const PROVIDER = 'confidential-inference-router'

/** Upper bounds as the conventions advise them; those of our own metrics are chosen to resolve what we promise. */
export const boundaries = {
  requestSeconds: [
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92, 163.84, 327.68,
    655.36, 1310.72,
  ],
  firstTokenSeconds: [
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120, 300,
    600,
  ],
  perTokenSeconds: [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5],
  tokens: [
    1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
  ],
  httpSeconds: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 60, 600],
  overheadSeconds: [
    0.00025, 0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1, 5,
  ],
} as const
