import type { ConfigStatusOutput } from '#contract/models'
import { loadRouterConfig } from '../config/router.ts'
import { versionOf } from '../config/version.ts'
import { type LivingRouter, listRouters } from '../reload/sharing.ts'
import { withDatabase } from './database.ts'
import { type CommonOptions, columns, formatTime, print } from './output.ts'

/** `router config status`: which router runs which version, since when, and what it has refused. */
export async function status(options: CommonOptions): Promise<void> {
  const fileVersion = versionOf(loadRouterConfig(options.config, process.env))
  const routers = await withDatabase(options.config, listRouters)
  const document = { file_version: fileVersion, replicas: routers.map(toDocument) }
  const lines = routers.length === 0 ? [NO_ROUTER] : [...table(routers, fileVersion), ...refusals(routers)]
  print(options, document, [`${options.config} is version ${fileVersion}.`, ...lines])
}

/** What both commands print when no router has a live lease. */
export const NO_ROUTER = 'No router runs on this database.'

/** One line for each router. */
export function table(routers: readonly LivingRouter[], fileVersion: string): string[] {
  const head = ['ROUTER', 'HOST', 'PID', 'VERSION', 'SINCE', 'LAST RELOAD']
  return columns([head, ...routers.map((router) => toCells(router, fileVersion))])
}

/** What each router's last reload was refused for, every mistake on its line. */
export function refusals(routers: readonly LivingRouter[]): string[] {
  return routers.flatMap(({ replica, state }) =>
    state?.refusal === undefined
      ? []
      : [`${replica} goes on with what it ran:`, ...state.refusal.message.split('\n')],
  )
}

/** A router as `--json` shows it. */
export function toDocument({ replica, state }: LivingRouter): ConfigStatusOutput['replicas'][number] {
  const { host = null, pid = null, version = null, takenUpAt, refusal } = state ?? {}
  const since = takenUpAt?.toISOString() ?? null
  const refused = refusal ? { at: refusal.at.toISOString(), message: refusal.message } : null
  return { replica, host, pid, version, since, refusal: refused }
}

function toCells({ replica, state }: LivingRouter, fileVersion: string): string[] {
  if (state === undefined) return [replica, '-', '-', '-', '-', '-']
  const { host, pid, version, takenUpAt, refusal } = state
  const shown = version === fileVersion ? version : `${version} (another)`
  return [replica, host, String(pid), shown, formatTime(takenUpAt), refusal ? 'refused' : 'ok']
}
