import { setTimeout as sleep } from 'node:timers/promises'
import { type Actor, audited } from '../administration/act.ts'
import type { Queryable, Sql } from '../store/connection.ts'
import { switchCell } from '../store/directory.ts'
import { requireIn, takeOn, type WorkspaceMove, whileIn } from '../store/moves.ts'
import * as closing from './closing.ts'
import { requireSameBooks, requireSameState } from './compare.ts'
import { findNewest, findOldest, requireMovable } from './movable.ts'
import { MoveError } from './move-error.ts'
import * as source from './source.ts'
import type { MoveStep } from './steps.ts'
import * as target from './target.ts'

/** What a move needs from the world. */
export interface MoveWorld {
  readonly home: Sql
  readonly source: Sql
  readonly target: Sql
  /** The address of the cell that the workspace leaves, as the server of the other one reaches it. */
  readonly sourceUrl: string
  readonly actor: Actor
  /** How long the workspace may be paused before it goes on where it was. */
  readonly pauseMs: number
  /** The move is to be given up, so far as it can be. */
  readonly isCancelled: boolean
  readonly tell: (step: MoveStep) => void
}

/** How often databases are asked how far they are; ours. */
const POLL_MS = 50

/** So many failures of the copying are no bad luck any more; ours. */
const MOST_FAILURES = 5

/** Takes a move on from wherever it is until it has ended. What throws leaves it where whoever calls again goes on. */
export async function runMove(world: MoveWorld, begun: WorkspaceMove): Promise<WorkspaceMove> {
  let move = begun
  /** From when on the records are to be compared during the pause; what is older was before. */
  let compared: Date | undefined
  for (;;) {
    switch (move.state) {
      case 'copying':
        if (!world.isCancelled) compared = await copy(world, move)
        move = await takeOn(world.home, move, world.isCancelled ? 'cancelling' : 'paused')
        break
      case 'paused':
        move = world.isCancelled
          ? await takeOn(world.home, move, 'reopening')
          : await catchUp(world, move, compared)
        break
      case 'reopening':
        move = await reopen(world, move)
        break
      case 'copied':
        move = await switchOver(world, move)
        break
      case 'switched':
        move = await tidy(world, move)
        break
      case 'cancelling':
        move = await cancel(world, move)
        break
      case 'done':
      case 'cancelled':
        return move
    }
  }
}

/** Throws `MoveError` where the workspace cannot leave its cell, or not go to the other one (OPS-31). */
export async function requireFree(
  { source: from, target: to }: Pick<MoveWorld, 'source' | 'target'>,
  move: Pick<WorkspaceMove, 'workspaceId' | 'from' | 'to'> & { readonly id?: string },
): Promise<void> {
  await requireMovable(from, move)
  await target.requireRoom(to, move, await findOldest(from, move))
}

/** Copies while the workspace is served, until little is left to follow. Resolves up to when records were compared. */
async function copy(world: MoveWorld, move: WorkspaceMove): Promise<Date | undefined> {
  const { tell } = world
  await requireFree(world, move)
  tell('publish')
  await whileIn(world.home, move, (at) => source.publish(sourceOf(world, at), move))
  // A log that is gone must be missed: one that is kept anew has a gap.
  if (!(await target.isSubscribed(world.target, move))) await keepLog(world, move)
  tell('expect')
  await whileIn(world.home, move, (at) => target.expectRows(targetOf(world, at), move))
  tell('copy')
  await whileIn(world.home, move, (at) => target.subscribe(targetOf(world, at), move, world.sourceUrl))
  await target.follow(world.target, move)
  const { failures } = await target.readProgress(world.target, move)
  const isCopied = async (): Promise<boolean> => {
    const now = await target.readProgress(world.target, move)
    if (now.failures - failures < MOST_FAILURES) return now.isCopied
    throw new MoveError(`The copying fails: the log of the cell ${move.to} says why.`)
  }
  await until(isCopied)
  const before = await findNewest(world.source, move)
  const place = await source.findPlace(world.source)
  await until(async () => (await isCopied()) && (await source.isRead(world.source, move, place)))
  if (before) await requireSameBooks(world.source, world.target, move, { before })
  tell('pause')
  return before ?? undefined
}

/** What keeps a log waits for every transaction that runs, and so within none. */
async function keepLog(world: MoveWorld, move: WorkspaceMove): Promise<void> {
  await requireIn(world.home, move)
  await source.keepLog(world.source, move)
  try {
    await requireIn(world.home, move)
  } catch (error) {
    // Whoever has given the move up has not found it.
    await source.tidySource(world.source, move)
    throw error
  }
}

/** The cell that is left, within the transaction that holds the move where that is of the same database. */
function sourceOf({ home, source: from }: MoveWorld, transaction: Queryable): Queryable {
  return from === home ? transaction : from
}

/** The same of the cell that is gone to. */
function targetOf({ home, target: to }: MoveWorld, transaction: Queryable): Queryable {
  return to === home ? transaction : to
}

/** Lets what runs end and the other cell catch up. What goes wrong, or takes too long, has the workspace served again. */
async function catchUp(
  world: MoveWorld,
  move: WorkspaceMove,
  since: Date | undefined,
): Promise<WorkspaceMove> {
  const { tell } = world
  const signal = AbortSignal.timeout(world.pauseMs)
  try {
    tell('withdraw')
    await whileIn(world.home, move, (at) => closing.withdraw(sourceOf(world, at), move))
    tell('close')
    const close = (at: Queryable) => closing.close(sourceOf(world, at), move)
    await until(() => whileIn(world.home, move, close), signal)
    tell('follow')
    const place = await source.findPlace(world.source)
    await until(() => source.isRead(world.source, move, place), signal)
    tell('compare')
    await requireSameState(world.source, world.target, move)
    await requireSameBooks(world.source, world.target, move, { since })
  } catch (error) {
    // Where even this cannot be done it stays paused, and whoever calls again goes on.
    await takeOn(world.home, move, 'reopening')
      .then((taken) => reopen(world, taken))
      .catch(() => {
        throw error
      })
    if (!signal.aborted) throw error
    const message = `${move.workspaceId} could not be paused for as long as this takes, and goes on in the cell ${move.from}.`
    throw new MoveError(message, { cause: error })
  }
  tell('commit')
  return await takeOn(world.home, move, 'copied')
}

async function reopen(world: MoveWorld, move: WorkspaceMove): Promise<WorkspaceMove> {
  world.tell('reopen')
  await whileIn(world.home, move, (at) => closing.reopen(sourceOf(world, at), move))
  return await takeOn(world.home, move, 'copying')
}

/** Nobody can change the workspace anywhere: first it is opened where it goes, then everybody is sent there. */
async function switchOver(world: MoveWorld, move: WorkspaceMove): Promise<WorkspaceMove> {
  const { tell } = world
  tell('release')
  await target.unsubscribe(world.target, move)
  tell('admit')
  await whileIn(world.home, move, (at) => target.admit(targetOf(world, at), move))
  tell('switch')
  const { workspaceId, from, to } = move
  const switched = await audited(
    world.home,
    world.actor,
    async (transaction) => {
      await switchCell(transaction, workspaceId, to)
      return await takeOn(transaction, move, 'switched')
    },
    () => [{ act: 'workspace_moved', subject: workspaceId, details: { from, to } }],
  )
  return switched!
}

async function tidy(world: MoveWorld, move: WorkspaceMove): Promise<WorkspaceMove> {
  world.tell('tidy')
  await until(() => source.tidySource(world.source, move))
  await closing.forgetKeys(world.source, move)
  world.tell('end')
  return await takeOn(world.home, move, 'done')
}

/** What has come to the other cell stays there, closed. */
async function cancel(world: MoveWorld, move: WorkspaceMove): Promise<WorkspaceMove> {
  world.tell('cancel')
  const left = await target.unsubscribe(world.target, move)
  await until(() => source.tidySource(world.source, move, left))
  return await takeOn(world.home, move, 'cancelled')
}

async function until(isSo: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
  while (!(await isSo())) await sleep(POLL_MS, undefined, { signal })
}
