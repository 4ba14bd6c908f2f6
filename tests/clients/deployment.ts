import { expect, vi } from 'vitest'
import type { Rule } from '../../conformance/stand-ins/backend/script.ts'
import type { KeySettings } from '../../server/store/keys.ts'
import { startTestGateway } from '../gateway.ts'
import { type Account, demoModel, type Service, startService } from '../service.ts'
import { type Proxies, startProxies } from './proxies.ts'
import { layWire } from './wire.ts'

/** Where a client can be pointed at: the router, a proxy that admits it, and two that something is wrong with. */
export type Place = 'router' | 'proxy' | 'denying' | 'severed'

/** A record, and what was debited for it. */
export interface Booked {
  readonly id: string
  readonly status: 'ok' | 'aborted'
  readonly streamed: boolean
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costMicros: number
  readonly amountMicros: number
}

/** The whole service in this process. */
export interface Deployment extends Pick<Proxies, 'sever'> {
  readonly baseUrls: Readonly<Record<Place, string>>
  readonly backend: Service['backend']
  createAccount(balanceMicros: bigint, settings: KeySettings): Promise<Account>
  /** Waits until nothing of a workspace runs any more, and gives its records with their debits, oldest first. */
  booksOf(account: Account): Promise<readonly Booked[]>
  /** Has the backend answer prompts that hold `[script:NAME]` by a rule. */
  script(name: string, rule: Rule): Promise<void>
  stop(): Promise<void>
}

/** The page that may call. */
export const ORIGIN = 'https://app.example'

// Within a second on an idle machine; tests share theirs.
const SOON = { timeout: 20_000, interval: 20 }

/** Starts a gateway, a router behind it that publishes its evidence, and the proxies before it. */
export async function startDeployment(): Promise<Deployment> {
  let routerPort = 0
  // Gateway and router have to know each other; the wire is there before both.
  const wire = await layWire(() => routerPort)
  const gateway = await startTestGateway(wire.url)
  const { endpoint } = gateway
  const service = await startService({
    endpoints: [endpoint],
    corsOrigins: [ORIGIN],
    publicBaseUrl: `https://${endpoint.hostname}/v1`,
    models: (url) => [
      demoModel(url, { endpoint }),
      demoModel(url, { endpoint, id: 'embedder', capabilities: ['embeddings'] }),
    ],
  })
  routerPort = Number(new URL(service.baseUrl).port)
  const proxies = await startProxies(gateway, ORIGIN)
  await vi.waitFor(async () => expect((await fetch(`${service.baseUrl}/evidence`)).status).toBe(200), SOON)
  const { admitting: proxy, denying, severed, sever } = proxies
  const rules: Rule[] = []

  return {
    baseUrls: { router: service.baseUrl, proxy, denying, severed },
    backend: service.backend,
    createAccount: service.createAccount,
    booksOf: ({ workspaceId }) => vi.waitFor(() => readBooks(service.sql, workspaceId), SOON),
    async script(name, rule) {
      rules.push({ ...rule, name })
      await service.backend.play({ rules })
    },
    sever,
    async stop() {
      await proxies.stop()
      await gateway.close()
      await service.stop()
      await wire.close()
    },
  }
}

async function readBooks(sql: Service['sql'], workspaceId: string): Promise<readonly Booked[]> {
  const holds = await sql`select generation_id from holds where workspace_id = ${workspaceId}`
  expect(holds).toHaveLength(0)
  const rows = await sql`
    select g.id, g.status, g.streamed, l.amount_micros::float8 as "amountMicros",
      g.cost_micros::float8 as "costMicros", g.prompt_tokens::float8 as "promptTokens",
      g.completion_tokens::float8 as "completionTokens"
    from generations g join ledger l on l.workspace_id = g.workspace_id and l.reference = g.id
    where g.workspace_id = ${workspaceId} order by g.id`
  return rows as unknown as Booked[]
}
