import type { Story } from './story.ts'

/** One thing to stop. */
export interface UndoStep {
  readonly name: string
  /** Asks it to end together with others that can only end with it; `stop` then waits for that. */
  readonly ask?: () => void
  readonly stop: () => Promise<void>
}

/** Stops everything, the last first, and tells of it. */
export async function stopAll(undo: UndoStep[], story: Story): Promise<void> {
  if (undo.length > 0) story.begin('Stopping')
  for (const { ask } of undo.toReversed()) ask?.()
  for (let step = undo.pop(); step; step = undo.pop()) {
    const { name, stop } = step
    await story
      .step(name, stop, { word: 'stopped' })
      .catch((error: unknown) => story.warn(`${name}: ${error}`))
  }
}
