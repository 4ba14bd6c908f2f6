import { holderOf, type Lock, takeLock } from '#base/lock.ts'

/** Another process writes the journal. */
export class LockedError extends Error {
  override readonly name = 'LockedError'

  constructor(file: string, holder: string) {
    super(
      `The journal ${file} is being written by another proxy (process ${holder}). Stop that one, or name another file with \`journal:\` in the configuration.`,
    )
  }
}

/** Takes the one writer's lock of a journal. */
export function lockJournal(file: string): Lock {
  const lock = takeLock(`${file}.lock`)
  if (lock === undefined) throw new LockedError(file, holderOf(`${file}.lock`))
  return lock
}
