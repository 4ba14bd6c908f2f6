import type { ControlOperation, ControlOperations } from '#contract/control'

type Examples = {
  readonly [Op in ControlOperation]?: {
    readonly request: ControlOperations[Op]['request']
    readonly answer: ControlOperations[Op]['response']
  }
}

const key = {
  id: 'key-1',
  workspace_id: 'workspace-1',
  state: 'active',
  spent_micros: 0,
  revoked_at: null,
} as const

/** What a hook is sent and what it answers, once for each that `init` offers; answers may hold more. */
export const hookExamples = {
  createWorkspace: {
    request: { name: 'conformance', balance_micros: 5_000_000 },
    answer: { id: 'workspace-1', balance_micros: 5_000_000 },
  },
  createKey: {
    request: {
      workspace_id: 'workspace-1',
      name: 'conformance',
      model_scope: ['my/model'],
      requests_per_minute: 60,
      tokens_per_minute: 10_000,
      spend_limit_micros: 1_000_000,
      expires_at: '2020-01-31T12:00:00Z',
      revoked: true,
    },
    answer: {
      api_key: 'sk-tee-v1-…',
      ...key,
      state: 'revoked',
      revoked_at: '2027-01-31T12:00:00Z',
      model_scope: ['my/model'],
      requests_per_minute: 60,
      tokens_per_minute: 10_000,
      spend_limit_micros: 1_000_000,
      expires_at: '2020-01-31T12:00:00Z',
    },
  },
  revokeKey: {
    request: { id: 'key-1' },
    answer: { ...key, state: 'revoked', revoked_at: '2027-01-31T12:00:00Z' },
  },
  debits: {
    request: { workspace_id: 'workspace-1' },
    answer: {
      balance_micros: 4_999_980,
      rows: [{ amount_micros: -20, generation_id: 'gen-1', name: 'my/model' }],
      generations: [{ id: 'gen-1', status: 'ok', prompt_tokens: 12, completion_tokens: 4, cost_micros: 20 }],
    },
  },
  books: {
    request: { workspace_id: 'workspace-1' },
    answer: {
      balance_micros: 4_999_980,
      entries: [
        {
          id: 'row-1',
          kind: 'generation',
          amount_micros: -20,
          balance_after_micros: 4_999_980,
          description: 'my/model',
          reference: 'gen-1',
          idempotency_key: 'gen-1',
          created_at: '2027-01-31T12:00:00Z',
        },
      ],
      generations: [
        {
          id: 'gen-1',
          key_id: 'key-1',
          model: 'my/model',
          endpoint: 'own',
          status: 'ok',
          streamed: false,
          prompt_tokens: 12,
          completion_tokens: 4,
          usage_source: 'backend',
          prompt_price_micros: 1_000_000,
          completion_price_micros: 2_000_000,
          cost_micros: 20,
        },
      ],
      holds: [{ generation_id: 'gen-2', key_id: 'key-1', amount_micros: 4_000 }],
      keys: [{ ...key, spent_micros: 20 }],
    },
  },
  startProxy: {
    request: {
      endpoints: [
        {
          name: 'years-old-n4kd8',
          url: 'https://127.0.0.1:40123/v1',
          hostname: 'router.example',
          roots: ['-----BEGIN CERTIFICATE-----…'],
          pins: ['sha256/n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg'],
          policies: [],
        },
      ],
    },
    answer: { base_urls: ['http://127.0.0.1:8484/v1'] },
  },
  issueInvitation: {
    request: { grant_micros: 1_000_000, description: 'a try', max_redemptions: 1 },
    answer: {
      code: 'ABCD-EFGH',
      grant_micros: 1_000_000,
      description: 'a try',
      max_redemptions: 1,
      redemptions: 0,
      note: null,
      created_at: '2027-01-31T12:00:00Z',
      expires_at: null,
      withdrawn_at: null,
    },
  },
} satisfies Examples
