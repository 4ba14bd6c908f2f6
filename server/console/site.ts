import { join } from 'node:path'
import type { Hono } from 'hono'
import type { RouterEnvironment } from '../app.ts'
import type { Metric } from '../operations/metric.ts'
import type { UpstreamsAdministration } from './admin-upstreams.ts'
import { administrationHandlers } from './administration.ts'
import { type ConsoleWorld, openConsole } from './console.ts'
import { createConsolePage } from './page.ts'
import { createWorkspacePages, type WorkspaceDependencies } from './workspace.ts'

/** Where `npm run console:build` puts the console's page, which is read as the router starts. */
const PAGE_FOLDER = join(import.meta.dirname, '..', '..', 'console', 'dist')

/** What all that is below `/console` needs from the router. */
export type SiteWorld = Omit<ConsoleWorld, 'handlers' | 'page'> &
  WorkspaceDependencies &
  UpstreamsAdministration

/** Everything below `/console`. */
export interface Site {
  readonly app: Hono<RouterEnvironment>
  readonly metrics: readonly Metric[]
  /** Where caught mails are shown; undefined where mails are sent. */
  readonly outboxPort: number | undefined
  /** Ends what goes on for as long as somebody looks. */
  endStreams(): Promise<void>
  stop(): Promise<void>
}

/** Puts the pages of workspaces, those of administrators, and the page itself into the console that signs people in. */
export async function openSite(world: SiteWorld): Promise<Site> {
  const pages = createWorkspacePages(world)
  const console = await openConsole({
    ...world,
    handlers: { ...pages.handlers, ...administrationHandlers(world) },
    page: createConsolePage(PAGE_FOLDER),
  })
  return {
    app: console.app,
    metrics: pages.metrics,
    outboxPort: console.outboxPort,
    endStreams: pages.stop,
    async stop() {
      await pages.stop()
      await console.stop()
    },
  }
}
