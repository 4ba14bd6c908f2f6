import type { ClientName, Failure } from './client.ts'
import type { Place } from './deployment.ts'
import type { VisitOptions } from './visit.ts'

/** How a client takes a refusal: the statuses that the server gave it, one for each request it saw. */
export interface Refusal extends VisitOptions {
  readonly title: string
  readonly code: string
  /** By how often each client asks; `maxRetries` is 2 everywhere. */
  readonly statuses: Readonly<Record<ClientName, readonly number[]>>
  /** What a client can read off its error beside status, code and request id. */
  readonly told?: Readonly<Partial<Record<ClientName, Partial<Failure>>>>
  /** Where; router and proxy otherwise. */
  readonly places?: readonly Place[]
  /** Uses up what the key may, before the client comes. */
  readonly isPrimed?: boolean
  /** Loses the connection whenever the backend has got a request, which is then metered. */
  readonly isSevered?: boolean
}

const once = (status: number) => everybody([status])
const thrice = (status: number) => everybody([status, status, status])

/** The table. */
export const refusals: readonly Refusal[] = [
  {
    title: 'a wrong key',
    isKeyWrong: true,
    code: 'invalid_api_key',
    statuses: once(401),
  },
  {
    title: 'a balance that is spent',
    balanceMicros: 0n,
    code: 'insufficient_credits',
    statuses: once(402),
  },
  {
    title: 'a spend limit that is reached',
    key: { spendLimitMicros: 0n },
    code: 'key_spend_limit_reached',
    statuses: once(402),
  },
  {
    title: 'a model beyond the scope of the key',
    key: { modelScope: ['embedder'] },
    code: 'model_not_in_key_scope',
    statuses: once(403),
  },
  { title: 'a model that is not there', model: 'absent', code: 'model_not_found', statuses: once(404) },
  {
    // A hundred tokens a second come back: four seconds, longer than any client's own first pause.
    title: 'a rate limit that is reached',
    key: { tokensPerMinute: 6_000 },
    rule: { promptTokens: 10, completionTokens: 6_390 },
    isPrimed: true,
    code: 'rate_limit_exceeded',
    statuses: everybody([429, 200]),
  },
  {
    title: 'a busy backend; nothing is metered',
    rule: { status: 503 },
    code: 'backend_unavailable',
    statuses: thrice(502),
  },
  {
    title: 'an answer that breaks off; nothing is metered',
    rule: { chunks: 40, fault: { kind: 'cut', afterChunks: 3 } },
    code: 'backend_unavailable',
    statuses: thrice(502),
  },
  {
    title: 'a connection that is lost after the request has left; each try is metered',
    places: ['severed'],
    rule: { fault: { kind: 'silence' } },
    code: 'backend_unavailable',
    isSevered: true,
    statuses: { ...thrice(502), openai: [502] },
  },
  {
    title: 'an endpoint that the proxy does not admit',
    places: ['denying'],
    code: 'attestation_failed',
    told: { 'ai-sdk': { stage: 'policy', reason: 'digest_not_pinned' } },
    statuses: { ...thrice(503), openai: [503] },
  },
]

function everybody(statuses: readonly number[]): Refusal['statuses'] {
  return { openai: statuses, 'ai-sdk': statuses, langchain: statuses }
}
