import { once } from 'node:events'
import type { Jump } from './clock.ts'
import { createClocks } from './clocked.ts'
import { startCommand } from './program.ts'

/** A router that can be stopped and started again. */
export interface Sibling {
  /** With `/v1`. */
  readonly address: string
  readonly adminAddress: string
  /** Asks it to end, and does not wait. */
  end(): void
  /** Waits until it has ended, and starts it again. */
  start(): Promise<void>
  /** Its clocks jump; they are right again once it was started anew. */
  advance(jump: Jump): void
  stop(): Promise<void>
}

/** Starts a router at the ports of its configuration. */
export async function startSibling(file: string): Promise<Sibling> {
  const clocks = createClocks(`${file}.clock`)
  let program = await startCommand('router', file, clocks.env)
  return {
    address: String(program.ready.address),
    adminAddress: String(program.ready.admin),
    end: () => void program.child.kill('SIGTERM'),
    async start() {
      const { child } = program
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      program = await startCommand('router', file, clocks.env)
    },
    advance: (jump) => clocks.jump(program.child, jump),
    stop: async () => void (await program.stop()),
  }
}
