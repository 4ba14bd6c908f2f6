import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Serving, startServing } from '#base/starter.ts'

const LAUNCHER = fileURLToPath(new URL('../bin/router', import.meta.url))

/**
 * For `nodeOptions`: so small a heap is collected often enough to tell what is kept from what is merely not collected
 * yet. Left alone, Node grows by a hundred megabytes before it looks.
 */
export const SMALL_HEAP = '--max-old-space-size=64 --max-semi-space-size=2'

/** A router in a process of its own, which a test may kill. */
export interface RouterProcess extends Pick<Serving<unknown>, 'child' | 'stop'> {
  readonly baseUrl: string
  /** Of the operator's listener. */
  readonly adminUrl: string
  /** What it has written to its log so far. */
  log(): string
  /** SIGKILL: no handler runs. */
  kill(): Promise<void>
}

/** What differs from a router of the demo. */
export interface RouterProcessOptions {
  readonly preparedStatements?: boolean
  /** Databases beside the one that it is given. */
  readonly cells?: readonly { readonly name: string; readonly url: string }[]
  readonly redisUrl?: string
  readonly drainMs?: number
  readonly stalledClientMs?: number
  /** Of each workspace; more than any test asks by default. */
  readonly requestsPerMinute?: number
  /** Of those that wait, however long that takes; by default so many that a busy machine refuses nobody. */
  readonly leastJudged?: number
  /** For its configuration, its data and its temporary files; the test removes it. A new one by default. */
  readonly folder?: string
  /** The whole of its configuration, `router.yaml` in that folder. */
  readonly config?: string
  /** For the Node that it runs on. */
  readonly nodeOptions?: string
  /** Beside its own. */
  readonly env?: Readonly<Record<string, string>>
  /** `bin/router` of another tree; this one's by default. */
  readonly launcher?: string
}

/** Starts `bin/router run` on a free port and waits until it serves. Throws, with its log, when it ends before. */
export async function startRouterProcess(
  databaseUrl: string,
  backendUrl: string,
  options: RouterProcessOptions = {},
): Promise<RouterProcess> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'router-process-'))
  const config = join(folder, 'router.yaml')
  writeFileSync(config, options.config ?? configFor(backendUrl, options))
  const { ready, child, exited, log, stop } = await startServing<{ address: string; admin: string }>({
    file: options.launcher ?? LAUNCHER,
    args: ['run', '--config', config],
    env: {
      DATABASE_URL: databaseUrl,
      TMPDIR: folder,
      ...(options.nodeOptions && { NODE_OPTIONS: options.nodeOptions }),
      ...options.env,
    },
  })
  if (options.folder === undefined) void exited.then(() => rmSync(folder, { recursive: true, force: true }))
  return {
    baseUrl: ready.address,
    adminUrl: ready.admin,
    child,
    log: () => log.join('\n'),
    stop,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

function configFor(
  backendUrl: string,
  {
    preparedStatements = true,
    cells = [],
    redisUrl = '',
    drainMs = 500,
    stalledClientMs = 60_000,
    requestsPerMinute = 1_000_000,
    leastJudged = 8_192,
  }: RouterProcessOptions,
): string {
  return `
listen: { host: 127.0.0.1, port: 0 }
admin: { port: 0 }
database: { url: "\${DATABASE_URL}", preparedStatements: ${preparedStatements}, cells: ${JSON.stringify(cells)} }
redis: { url: "${redisUrl}" }
limits: { requestsPerMinute: ${requestsPerMinute}, tokensPerMinute: 1000000000, leastJudged: ${leastJudged} }
timers: { drainMs: ${drainMs}, stalledClientMs: ${stalledClientMs} }
endpoints: [ { name: demo, hostname: router.localhost } ]
models:
  - id: demo/tiny-chat
    contextLength: 32768
    pricing: { promptPer1mMicros: 150000, completionPer1mMicros: 600000 }
    endpoint: demo
    capabilities: [chat, completions, embeddings]
    backends: [ { url: "${backendUrl}", model: tiny-chat } ]
`
}
