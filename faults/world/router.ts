import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SMALL_HEAP } from '../../tests/router-process.ts'
import { type RouterSettings, routerConfig } from './configs.ts'
import { type Clocked, startClocked } from './edge.ts'

/** One of the routers. */
export interface Router extends Clocked {
  /** With `/v1`. */
  readonly baseUrl: string
  readonly adminUrl: string
  /** Its configuration file, for the router's commands. */
  readonly config: string
}

/** Starts a router on the ports that it keeps. */
export async function startRouter(
  folder: string,
  name: string,
  databaseUrl: string,
  settings: Omit<RouterSettings, 'dataDir'>,
): Promise<Router> {
  const dataDir = join(folder, name)
  mkdirSync(dataDir)
  const config = join(folder, `${name}.yaml`)
  writeFileSync(config, JSON.stringify(routerConfig({ ...settings, dataDir })))
  // A small heap is collected often: what it occupies then is what is kept.
  const clocked = await startClocked({
    name,
    program: 'router',
    config,
    folder,
    env: { DATABASE_URL: databaseUrl },
    nodeOptions: SMALL_HEAP,
  })
  const { port, adminPort } = settings
  return {
    ...clocked,
    config,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
  }
}
