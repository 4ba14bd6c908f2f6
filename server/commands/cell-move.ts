import { complain } from '#base/print.ts'
import { messageOf } from '#base/thrown.ts'
import { loadRouterConfig } from '../config/router.ts'
import { type MoveWorld, requireFree, runMove } from '../moving/move.ts'
import { type MoveStep, standings, words } from '../moving/steps.ts'
import { HOME } from '../store/cells.ts'
import type { Sql } from '../store/connection.ts'
import { findCell, placeAtHome } from '../store/directory.ts'
import { beginMove, findOpenMove, type MoveState, type WorkspaceMove } from '../store/moves.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { type ActOptions, actorOf } from './actor.ts'
import { type Cells, withCells } from './cells.ts'
import { print } from './output.ts'
import { parseCount, UsageError } from './usage.ts'
import { noWorkspace } from './workspace.ts'

/** What `router cell move` takes. */
export interface MoveOptions extends ActOptions {
  readonly to: string
  readonly pause: string
  readonly sourceUrlEnv?: string
  readonly cancel?: true
}

/** `router cell move WORKSPACE --to CELL`, from the beginning or from wherever it was broken off (OPS-29, OPS-30). */
export async function move(workspaceId: string, options: MoveOptions): Promise<void> {
  const { config, to, cancel: isCancelled = false } = options
  const pauseMs = parsePause(options.pause)
  const sourceUrl = readUrl(options.sourceUrlEnv)
  const actor = actorOf(options)
  const { database } = loadRouterConfig(config, process.env)
  const urls = new Map([
    [HOME, database.url],
    ...(database.cells ?? []).map(({ name, url }) => [name, url] as const),
  ])
  const moved = await withCells(config, async (cells) => {
    if (!cells.areSeveral)
      throw new UsageError('There is one database alone. See database.cells in the configuration.')
    const targetSql = await cells.named(to)
    return await cells.alone(`move ${workspaceId}`, async () => {
      const under = (await findOpenMove(cells.home, workspaceId)) ?? (await begin(cells, targetSql))
      if (!under) return { workspaceId, from: to, to, state: 'done' as const }
      if (under.to !== to) {
        throw new Error(
          `${workspaceId} is on its way to the cell ${under.to}: go on with --to ${under.to}, or --cancel that.`,
        )
      }
      if (isCancelled && under.state in unstoppable) {
        throw new Error(
          `The directory is about to name the cell ${to}: the move cannot be given up any more.`,
        )
      }
      const source = await cells.named(under.from)
      const world = {
        home: cells.home,
        source,
        target: targetSql,
        sourceUrl: sourceUrl ?? urls.get(under.from)!,
        actor,
        pauseMs,
      }
      return await run(cells.home, { ...world, isCancelled, tell: tellStep }, under)
    })
  })
  const { from, state } = moved
  const document = { workspace_id: workspaceId, from, to, state }
  const told =
    state === 'done' ? `${workspaceId} lives in the cell ${to}.` : `${workspaceId} stays in the cell ${from}.`
  print(options, document, [told])

  /** Undefined: it lives there already. */
  async function begin(cells: Cells, target: Sql): Promise<WorkspaceMove | undefined> {
    if (isCancelled) throw new Error(`${workspaceId} is not on its way anywhere.`)
    const from = await findCell(cells.home, workspaceId)
    const source = await cells.named(from)
    if (!(await findWorkspace(source, workspaceId))) throw noWorkspace(workspaceId)
    if (from === to) return undefined
    const wanted = { workspaceId, from, to }
    await requireFree({ source, target }, wanted)
    const { begun } = await cells.home.begin(async (transaction) => {
      await placeAtHome(transaction, workspaceId)
      return { begun: await beginMove(transaction, wanted) }
    })
    return begun
  }
}

/** Ours. A timer of weeks would be up at once, and one of months be refused when the workspace is paused already. */
const MAX_PAUSE_SECONDS = 86_400

function parsePause(text: string): number {
  const seconds = parseCount('--pause', text)
  if (seconds <= MAX_PAUSE_SECONDS) return seconds * 1_000
  throw new UsageError(`--pause must be at most ${MAX_PAUSE_SECONDS} seconds, not "${text}".`)
}

/** An address has a password in it, and whoever lists processes reads their words. */
function readUrl(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const url = process.env[name]
  if (!url) throw new UsageError(`The variable ${name} is not set.`)
  return url
}

/** What is wrong, and what that means for the workspace until somebody runs the command again. */
async function run(home: Sql, world: MoveWorld, begun: WorkspaceMove): Promise<WorkspaceMove> {
  try {
    return await runMove(world, begun)
  } catch (cause) {
    const { workspaceId, from, to } = begun
    const state = (await findOpenMove(home, workspaceId).catch(() => undefined))?.state
    const message = [messageOf(cause), state && `${workspaceId} ${standings[state]({ from, to })}.`, AGAIN]
    throw new Error(message.filter(Boolean).join(' '), { cause })
  }
}

const AGAIN = 'The same command goes on from here.'

const unstoppable: Partial<Record<MoveState, true>> = { copied: true, switched: true }

function tellStep(step: MoveStep): void {
  complain(`${step}: ${words[step]}`)
}
