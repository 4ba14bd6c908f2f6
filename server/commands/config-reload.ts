import { setTimeout as sleep } from 'node:timers/promises'
import { complain } from '#base/print.ts'
import type { ConfigReloadOutput } from '#contract/models'
import { loadRouterConfig } from '../config/router.ts'
import { versionOf } from '../config/version.ts'
import { askReload, type LivingRouter, listRouters } from '../reload/sharing.ts'
import type { Sql } from '../store/connection.ts'
import { NO_ROUTER, refusals, table, toDocument } from './config-status.ts'
import { withDatabase } from './database.ts'
import { type CommonOptions, print } from './output.ts'

/** How long routers get to answer, and how often they are looked at (ours): each looks twice a second. */
const ANSWER_MS = 10_000
const LOOK_MS = 200

/** Exit codes of this command: 4 when some router refuses its file, 1 when one has not answered or none runs. */
const REFUSED = 4
const SILENT = 1

type Outcome = ConfigReloadOutput['replicas'][number]['outcome']

/**
 * `router config reload`: every router on the database reads its own file anew, and takes up all of it or nothing. The
 * file that the command is given is checked first: with a mistake in it nobody is asked.
 */
export async function reload(options: CommonOptions): Promise<void> {
  const fileVersion = versionOf(loadRouterConfig(options.config, process.env))
  const answers = await withDatabase(options.config, ask)
  if (answers.length === 0) throw new Error(NO_ROUTER)
  const replicas = answers.map(({ router, outcome }) => ({ ...toDocument(router), outcome }))
  const routers = answers.map(({ router }) => router)
  print(options, { file_version: fileVersion, replicas }, table(routers, fileVersion))
  for (const line of refusals(routers)) complain(line)
  const silent = replicas.filter(({ outcome }) => outcome === 'silent')
  for (const { replica } of silent) complain(`${replica} has not answered within ${ANSWER_MS / 1_000} s.`)
  if (silent.length > 0) process.exitCode = SILENT
  if (replicas.some(({ outcome }) => outcome === 'refused')) process.exitCode = REFUSED
}

interface Answer {
  readonly router: LivingRouter
  readonly outcome: Outcome
}

/** Resolves when every router has answered that is there then, or the time is over. */
async function ask(sql: Sql): Promise<Answer[]> {
  const number = await askReload(sql)
  const isLate = AbortSignal.timeout(ANSWER_MS)
  for (;;) {
    const answers = (await listRouters(sql)).map((router) => ({ router, outcome: outcomeOf(router, number) }))
    if (isLate.aborted || answers.every(({ outcome }) => outcome !== 'silent')) return answers
    await sleep(LOOK_MS)
  }
}

function outcomeOf({ state }: LivingRouter, number: bigint): Outcome {
  if (state === undefined || state.answered < number) return 'silent'
  return state.refusal === undefined ? 'current' : 'refused'
}
