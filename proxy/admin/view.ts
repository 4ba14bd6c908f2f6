import type { ProxiedEndpointStatus, ProxyStatus } from '#contract/models'
import type { AskedCheck } from '../asked-checks.ts'
import type { JournalStatus } from '../journal/open.ts'
import type { Tally } from '../tally.ts'

/** What the admin listener knows of one endpoint. */
export interface EndpointView {
  readonly tally: Tally
  /** As it is at this moment. */
  status(): ProxiedEndpointStatus
  /** Has the evidence checked anew; undefined when the proxy stops meanwhile. */
  attest(): Promise<AskedCheck | undefined>
}

/** What the admin listener knows of the proxy. */
export interface ProxyView {
  readonly version: string
  readonly startedAt: Date
  readonly endpoints: readonly EndpointView[]
  /** How the journal fares; undefined when none is kept. */
  journal(): JournalStatus | undefined
  /** Whether new requests are taken. */
  isServing(): boolean
}

/** The endpoints without a live verdict, which is all that readiness is about (PRXY-22). */
export function notReady({ endpoints }: ProxyView): ProxiedEndpointStatus[] {
  return endpoints.map((endpoint) => endpoint.status()).filter(({ verdict }) => verdict.state !== 'admitted')
}

/** The status as a document. */
export function statusOf({ version, endpoints, journal }: ProxyView): ProxyStatus {
  return {
    pid: process.pid,
    version,
    endpoints: endpoints.map((endpoint) => endpoint.status()),
    journal: journal() ?? null,
  }
}

/** What a person should look at although requests are served. */
export function warningsOf({ journal }: ProxyView): string[] {
  const state = journal()?.state ?? 'writing'
  return state === 'writing' ? [] : [`journal_${state}`]
}
