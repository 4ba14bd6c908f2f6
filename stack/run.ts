import { bringUp, type Stack } from './bring-up.ts'
import { claimOrFind, stopLeftBehind } from './claiming.ts'
import { StartFailure } from './failure.ts'
import { untilAborted } from './interruption.ts'
import type { Options } from './options.ts'
import { type Places, placesIn } from './places.ts'
import { showAddresses, showAnswer, showVerification } from './show.ts'
import { removeStackFile, type StackFile, writeStackFile } from './stackfile.ts'
import type { Claim } from './starter.ts'
import type { Story } from './story.ts'
import { stopAll, type UndoStep } from './undo.ts'

/** How the starter ended. */
export interface Ending {
  readonly exitCode: number
  /** What is up, or was. */
  readonly stack?: StackFile
}

/** What runs a stack. */
interface Run {
  readonly options: Options
  readonly places: Places
  readonly story: Story
  /** Aborts when a person wants the end. */
  readonly interruption: AbortSignal
  readonly onUp: (stack: StackFile) => void
}

const EXIT_ERROR = 1
// What a shell reports for a program that Ctrl-C ended.
const EXIT_INTERRUPTED = 130

/** Runs the stack until its end is asked for; one that is up already is shown instead. Resolves with the exit code. */
export async function runStack(run: Omit<Run, 'places'>): Promise<number> {
  const { options, story, interruption, onUp } = run
  const places = placesIn(options.dataDir)
  try {
    const claimed = await claimOrFind(places, story, interruption)
    if ('claim' in claimed) return await live({ ...run, places }, claimed.claim)
    showAddresses(
      `It is up already, run by process ${claimed.stack.pids.start}`,
      claimed.stack,
      places,
      story,
    )
    onUp(claimed.stack)
    return 0
  } catch (error) {
    return explain(error, story, interruption, false)
  }
}

async function live({ options, places, story, interruption, onUp }: Run, claim: Claim): Promise<number> {
  const { exit, backend: real } = options
  const failed = new AbortController()
  const signal = AbortSignal.any([interruption, failed.signal])
  const undo: UndoStep[] = []
  let stack: Stack | undefined
  let isUp = false
  try {
    removeStackFile(places)
    story.begin('The Confidential Inference Router, on this machine')
    await stopLeftBehind(claim, story)
    stack = await bringUp({
      places,
      real,
      story,
      signal,
      undo,
      inherited: claim.former !== undefined,
      onChange(children) {
        claim.note(children)
        if (stack && isUp) writeStackFile(places, stack.describe())
      },
      onGiveUp: (failure) => failed.abort(failure),
    })
    showVerification(stack.verification, story)
    await showAnswer(stack, story, signal)
    isUp = true
    writeStackFile(places, stack.describe())
    showAddresses('It is up', stack.describe(), places, story)
    onUp(stack.describe())
    if (exit) return 0
    story.begin('Ctrl-C stops it all.')
    await untilAborted(signal)
    throw signal.reason
  } catch (error) {
    return explain(failed.signal.reason ?? error, story, interruption, isUp)
  } finally {
    isUp = false
    removeStackFile(places)
    await stopAll(undo, story)
    claim.release()
  }
}

function explain(error: unknown, story: Story, interruption: AbortSignal, wasUp: boolean): number {
  // Whatever fails once the end is asked for, fails because of that.
  if (interruption.aborted) return wasUp ? 0 : EXIT_INTERRUPTED
  story.fail(asFailure(error))
  return EXIT_ERROR
}

function asFailure(error: unknown): StartFailure {
  if (error instanceof StartFailure) return error
  if (!(error instanceof Error)) return new StartFailure(String(error))
  return new StartFailure(error.message, (error.stack ?? '').split('\n').slice(1), error)
}
