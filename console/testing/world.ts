import type { components } from '#contract/console/types'
import { bundleOf, snapshot } from './bundle.ts'

type Schemas = components['schemas']

const NOW = Date.now()
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A time before now, on the wire. */
export const ago = (milliseconds: number) => new Date(NOW - milliseconds).toISOString()

/** An id of the contract's form. */
export const idOf = (prefix: string, number: number) =>
  `${prefix}01M7WDP4RKMDTG0B5ATAJ${String(number).padStart(5, '0')}`

/** Names that people give: of any length, in any script and direction, and never markup. */
export const names = {
  html: '<img src=x onerror="document.title=1">',
  rtl: '\u202eלקוח ראשי\u202c — مفتاح',
  long: 'build-server-in-the-second-machine-room-behind-the-green-door-64',
} as const

const deployments = [bundleOf(snapshot(1), ago(9 * DAY)), bundleOf(snapshot(2), ago(4 * MINUTE))] as const

/** What the scripted API knows; a test changes what it is about. */
export interface World {
  me: Schemas['Me']
  isSignedIn: boolean
  balance: Schemas['Balance']
  keys: Schemas['ConsoleKey'][]
  requests: Schemas['RequestRow'][]
  ledger: Schemas['LedgerRow'][]
  models: Schemas['ConsoleModel'][]
  endpoints: Schemas['ConsoleEndpoint'][]
  bundles: Map<string, Uint8Array<ArrayBuffer>>
  sessions: Schemas['Session'][]
  upstreams: Schemas['AdminUpstream'][]
  invitations: Schemas['AdminInvitation'][]
  workspaces: Schemas['AdminWorkspace'][]
  audit: Schemas['AuditRow'][]
  /** Everything that the page told about itself. */
  pageEvents: Schemas['PageEvent'][]
  /** What every call is answered with instead, while it is set. */
  outage: 'refused' | 503 | undefined
}

const models: readonly (readonly [id: string, price: number, output: number])[] = [
  ['demo/tiny-chat', 150_000, 600_000],
  ['demo/large-chat', 2_500_000, 10_000_000],
  ['partner/vision-extra-long-context-instruct-2026-03', 1_100_000, 3_300_000],
]

const keyNames = ['laptop', names.long, names.rtl, names.html]

/** A workspace in use: some of everything, and what is odd beside what is usual. */
export function createWorld(): World {
  const keys = keyNames.map((name, index) => keyOf(name, index))
  const requests = Array.from({ length: 130 }, (_, index) => requestOf(index, keys))
  return {
    me: {
      id: idOf('acc_', 1),
      email: 'ada@example.org',
      workspace: { id: idOf('ws_', 1), name: 'Analytical Engines' },
      administrator: true,
      settings: { base_url: 'https://router.example/v1' },
    },
    isSignedIn: true,
    balance: { balance_micros: 23_418_902, held_micros: 14_200 },
    keys,
    requests,
    ledger: ledgerOf(requests),
    models: models.map(([id, input, output], index) => ({
      id,
      name: id,
      owned_by: index === 2 ? 'partner' : 'demo',
      state: index === 2 ? 'denied' : 'available',
      context_length: 32_768,
      max_output_tokens: 4_096,
      input_per_1m_micros: input,
      output_per_1m_micros: output,
      capabilities: ['chat'],
      endpoint: index === 2 ? 'partner' : 'own',
      external: index === 2,
    })),
    endpoints: endpointsOf(),
    bundles: new Map(deployments.map(({ digest, bytes }) => [digest, bytes])),
    sessions: [
      sessionOf(1, true, 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36'),
      sessionOf(2, false, names.html),
      sessionOf(3, false, null),
    ],
    upstreams: upstreamsOf(),
    invitations: invitationsOf(),
    workspaces: workspacesOf(),
    audit: auditOf(),
    pageEvents: [],
    outage: undefined,
  }
}

/** The newest bundle of the router's own endpoint, as it was published. */
export const ownBundle = deployments[1].bytes

function keyOf(name: string, index: number): Schemas['ConsoleKey'] {
  return {
    id: idOf('key_', index),
    name,
    prefix: `sk-tee-v1-${'aZ'.charAt(index % 2)}${index}`,
    state: index === 3 ? 'revoked' : 'active',
    model_scope: index === 1 ? [models[0]![0], models[2]![0]] : null,
    requests_per_minute: null,
    tokens_per_minute: index === 1 ? 60_000 : null,
    spend_limit_micros: index === 1 ? 5_000_000 : null,
    spent_micros: [1_204_331, 4_410_077, 0, 12][index]!,
    created_at: ago((index + 1) * 11 * DAY),
    expires_at: index === 1 ? new Date(NOW + 40 * DAY).toISOString() : null,
    last_used_at: index === 2 ? null : ago((index + 1) * 7 * MINUTE),
    revoked_at: index === 3 ? ago(2 * DAY) : null,
  }
}

function requestOf(index: number, keys: readonly Schemas['ConsoleKey'][]): Schemas['RequestRow'] {
  const [model, input, output] = models[index % 7 === 0 ? 1 : index % 11 === 0 ? 2 : 0]!
  const key = keys[[0, 1, 0, 2, 0, 3][index % 6]!]!
  const status = index === 0 ? 'running' : index % 17 === 5 ? 'aborted' : 'ok'
  const tokens = { in: 40 + ((index * 37) % 900), out: 12 + ((index * 53) % 1_400) }
  return {
    id: idOf('gen-', 99_999 - index),
    created_at: ago(index * index * 47_000 + 3_000),
    model,
    key: { id: key.id, name: key.name },
    input_tokens: tokens.in,
    output_tokens: tokens.out,
    cost_micros:
      status === 'running' ? null : Math.ceil((tokens.in * input + tokens.out * output) / 1_000_000),
    tokens_per_second: status === 'aborted' ? null : 30 + ((index * 13) % 60) + 0.25,
    time_to_first_token_ms: status === 'aborted' ? null : 120 + ((index * 97) % 1_900),
    status,
  }
}

/** Everything about one request, as the drawer shows it. */
export function detailsOf(row: Schemas['RequestRow']): Schemas['RequestDetails'] {
  const [, input, output] = models.find(([id]) => id === row.model)!
  const first = row.time_to_first_token_ms
  const end = row.status === 'running' ? null : (first ?? 300) + 1_840
  const cost = row.cost_micros
  return {
    ...row,
    endpoint: 'own',
    operation: 'chat',
    streamed: true,
    finish_reason: row.status === 'ok' ? 'stop' : null,
    usage_source: cost === null ? null : row.status === 'ok' ? 'backend' : 'counted',
    timings: {
      first_token_ms: first,
      end_ms: end,
      settled_at: end === null ? null : new Date(Date.parse(row.created_at) + end + 6).toISOString(),
    },
    price:
      cost === null
        ? null
        : {
            input_per_1m_micros: input,
            output_per_1m_micros: output,
            input_product: String(row.input_tokens * input),
            output_product: String(row.output_tokens * output),
            cost_micros: cost,
            refunded_micros: 0,
          },
    ledger_id: cost === null ? null : idOf('led_', Number(row.id.slice(-5))),
    evidence_digest: deployments[1].digest,
    has_bundle: true,
  }
}

function ledgerOf(requests: readonly Schemas['RequestRow'][]): Schemas['LedgerRow'][] {
  const debits = requests.filter(({ cost_micros: cost }) => cost !== null)
  const rows: Omit<Schemas['LedgerRow'], 'balance_after_micros'>[] = [
    ...debits.map((row) => ({
      id: idOf('led_', Number(row.id.slice(-5))),
      kind: 'generation' as const,
      amount_micros: -row.cost_micros!,
      description: row.model,
      reference: row.id,
      created_at: row.created_at,
    })),
    {
      id: idOf('led_', 2),
      kind: 'top_up',
      amount_micros: 20_000_000,
      description: 'Invoice 17, paid by transfer',
      reference: null,
      created_at: ago(8 * DAY + 3 * HOUR),
    },
    {
      id: idOf('led_', 1),
      kind: 'invitation',
      amount_micros: 5_000_000,
      description: 'Invitation credit',
      reference: idOf('inv_', 1),
      created_at: ago(30 * DAY),
    },
  ]
  rows.sort((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at))
  let balance = 0
  return rows
    .map((row) => {
      balance += row.amount_micros
      return { ...row, balance_after_micros: balance }
    })
    .toReversed()
}

function endpointsOf(): Schemas['ConsoleEndpoint'][] {
  const [before, now] = deployments
  return [
    {
      name: 'own',
      hostname: 'router.example',
      external: false,
      state: 'published',
      denial: null,
      evidence_digest: now.digest,
      issued_at: now.issuedAt,
      tee: 'AMD SEV-SNP (QEMU)',
      models: [models[0]![0], models[1]![0]],
      history: [now, before].map(({ digest, issuedAt }, index) => ({
        evidence_digest: digest,
        issued_at: issuedAt,
        first_seen_at: ago((index * 20 + 2) * DAY),
        has_bundle: true,
      })),
    },
    {
      name: 'partner',
      hostname: 'inference.partner.example',
      external: true,
      state: 'denied',
      denial: { stage: 'upstream-policy', reason: 'digest_not_pinned', at: ago(3 * HOUR) },
      evidence_digest: null,
      issued_at: null,
      tee: null,
      models: [models[2]![0]],
      history: [],
    },
  ]
}

function sessionOf(number: number, current: boolean, user_agent: string | null): Schemas['Session'] {
  return {
    id: idOf('ses_', number),
    current,
    created_at: ago(number * 3 * DAY),
    last_used_at: ago(number * number * 9 * MINUTE),
    expires_at: new Date(NOW + 27 * DAY).toISOString(),
    user_agent,
  }
}

function upstreamsOf(): Schemas['AdminUpstream'][] {
  const [before] = deployments
  return [
    {
      id: idOf('ups_', 1),
      name: 'partner',
      url: 'https://inference.partner.example/v1',
      hostname: 'inference.partner.example',
      roots: [before.digest],
      require_leaf_name: true,
      attested: null,
      pins: [before.digest],
      has_api_key: true,
      state: 'denied',
      denial: { stage: 'upstream-policy', reason: 'digest_not_pinned', at: ago(3 * HOUR) },
      sticky: true,
      hardware: null,
      last_admitted: { at: ago(4 * HOUR), evidence_digest: before.digest },
      newest_issued_at: ago(4 * HOUR),
      models: [models[2]![0]],
      created_at: ago(40 * DAY),
    },
  ]
}

/** What is pinned for the upstream, and what it offers now. */
export const upstreamDiff: Schemas['UpstreamDiff'] = {
  pinned: { evidence_digest: deployments[0].digest, issued_at: deployments[0].issuedAt, is_pinned: true },
  offered: { evidence_digest: deployments[1].digest, issued_at: deployments[1].issuedAt, is_pinned: false },
  same_values: false,
  changes: [
    {
      change: 'image',
      resource: 'Deployment inference/model-server (resource 1)',
      place: 'spec.template.spec.containers[model-server].image',
      op: 'set',
      path: ['resources', 0, 'spec', 'template', 'spec', 'containers', 0, 'image'],
      to: null,
      before: '"registry.example/model-server@sha256:1111"',
      after: '"registry.example/model-server@sha256:2222"',
    },
  ],
}

function invitationsOf(): Schemas['AdminInvitation'][] {
  return [1, 2, 3].map((number) => ({
    id: idOf('inv_', number),
    code: ['H4T2-9KQM-X7PD', 'WZ3N-6B2R-8VFC', 'M5GY-Q4TX-2HJK'][number - 1]!,
    grant_micros: number * 5_000_000,
    description: number === 2 ? names.html : 'Welcome credit',
    max_redemptions: number === 3 ? 100 : 1,
    redemptions: [1, 0, 37][number - 1]!,
    expires_at: number === 3 ? new Date(NOW + 20 * DAY).toISOString() : null,
    withdrawn_at: number === 2 ? ago(DAY) : null,
    note: number === 3 ? 'For the spring course' : null,
    created_at: ago(number * 10 * DAY),
  }))
}

function workspacesOf(): Schemas['AdminWorkspace'][] {
  return ['Analytical Engines', names.rtl, names.html, names.long].map((name, index) => ({
    id: idOf('ws_', index + 1),
    name,
    emails: index === 3 ? [] : [`person${index + 1}@example.org`],
    balance_micros: [23_418_902, 0, -1_204, 900_000_000][index]!,
    held_micros: index === 0 ? 14_200 : 0,
    requests_per_minute: index === 3 ? 600 : null,
    tokens_per_minute: null,
    created_at: ago((index + 1) * 9 * DAY),
  }))
}

function auditOf(): Schemas['AuditRow'][] {
  const acts: readonly [Schemas['AuditAct'], string, Record<string, string>][] = [
    [
      'workspace_credited',
      idOf('ws_', 1),
      { amount_micros: '20000000', reason: 'Invoice 17, paid by transfer' },
    ],
    ['deployment_pinned', 'partner', { digest: deployments[0].digest }],
    ['invitation_issued', idOf('inv_', 3), { grant_micros: '15000000' }],
    ['upstream_registered', 'partner', { url: 'https://inference.partner.example/v1' }],
  ]
  return acts.map(([act, subject, details], index) => ({
    id: idOf('aud_', index + 1),
    at: ago((index * index + 1) * 5 * HOUR),
    actor: index === 1 ? 'root' : 'ada@example.org',
    through: index === 1 ? 'command_line' : 'console',
    act,
    subject,
    details,
  }))
}
