import { setTimeout as sleep } from 'node:timers/promises'
import { StartFailure } from './failure.ts'
import type { Places } from './places.ts'
import { isRunning, stopProcess } from './processes.ts'
import { readStackFile, type StackFile } from './stackfile.ts'
import { type Claim, claim, findStarter } from './starter.ts'
import type { Story } from './story.ts'

/** Either this process may run the stack, or another one does. */
export type Claimed = { readonly claim: Claim } | { readonly stack: StackFile }

// Ours: as long as a slow first start takes.
const OTHER_STARTER_MS = 60_000
const POLL_MS = 50
const LEFT_BEHIND_MS = 10_000

/** Takes the data folder, or finds the stack that is up there, waiting for one that is just coming up. */
export async function claimOrFind(places: Places, story: Story, signal: AbortSignal): Promise<Claimed> {
  const deadline = performance.now() + OTHER_STARTER_MS
  for (let told = false; performance.now() < deadline; ) {
    const taken = claim(places)
    if (taken) return { claim: taken }
    const starter = findStarter(places)
    const stack = readStackFile(places)
    if (starter && stack?.pids.start === starter.pid) return { stack }
    if (starter && !told) story.say(`Process ${starter.pid} is bringing it up; waiting for it.`)
    told ||= starter !== undefined
    await sleep(POLL_MS, undefined, { signal })
  }
  throw new StartFailure('Another start does not come to its end.', [
    `${places.starterFile} names its process.`,
  ])
}

/** Stops what a starter that was killed left running; its database is taken over instead. */
export async function stopLeftBehind({ former }: Claim, story: Story): Promise<void> {
  const left = former?.children.filter(isRunning) ?? []
  if (left.length === 0) return
  story.say(
    `An earlier start was killed; stopping what it left running (${left.map(({ pid }) => pid).join(', ')}).`,
  )
  await Promise.all(left.map((child) => stopProcess(child, LEFT_BEHIND_MS)))
}
