/** A part of the stack that can be broken, and comes back at the address that it had. */
export interface Seat {
  readonly name: string
  /** Its process while it runs. */
  readonly pid: number | undefined
  /** SIGKILL: no handler runs. */
  kill(): Promise<void>
  /** SIGSTOP, and SIGCONT; nothing where nothing runs. */
  pause(): void
  resume(): void
  /** Starts it unless it runs. Throws, with its log, when it does not come up. */
  ensureRunning(): Promise<void>
  /** What it has written to its log so far, all its lives together. */
  log(): string
  stop(): Promise<void>
}

/** Signals a process that may have gone. */
export function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(pid, name)
  } catch {
    // It ended by itself.
  }
}
