import { join } from 'node:path'
import { type Serving, startServing } from '#base/starter.ts'
import { type Seat, signal } from './seat.ts'

const BIN = join(import.meta.dirname, '..', '..', 'bin')

/** A program of `bin/` with its configuration. */
export interface ProgramSeat extends Seat {
  /** What it printed when it last began to serve. */
  readonly ready: Readonly<Record<string, unknown>>
}

/** What a program is started with, each time. */
export interface ProgramSeatOptions {
  readonly name: string
  readonly program: 'router' | 'platform' | 'proxy'
  readonly config: string
  readonly env?: Readonly<Record<string, string>>
}

/** A start under load and beside other starts may be refused its port for a moment, or its database. */
const ATTEMPTS = 5

/** Starts a program for the first time. */
export async function startProgramSeat(options: ProgramSeatOptions): Promise<ProgramSeat> {
  const { name, program, config, env = {} } = options
  const lives: Serving<Readonly<Record<string, unknown>>>[] = []
  const current = () => lives.at(-1)
  const isUp = () => {
    const child = current()?.child
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }
  const start = async (): Promise<void> => {
    const file = join(BIN, program)
    for (let attempt = 1; ; attempt++) {
      try {
        lives.push(await startServing({ file, args: ['run', '--config', config], env }))
        return
      } catch (error) {
        if (attempt === ATTEMPTS) throw error
      }
    }
  }
  let starting: Promise<void> | undefined
  await start()
  return {
    name,
    get pid() {
      return isUp() ? current()!.child.pid : undefined
    },
    get ready() {
      return current()!.ready
    },
    async kill() {
      const life = current()!
      life.child.kill('SIGKILL')
      await life.exited
    },
    pause: () => signal(isUp() ? current()!.child.pid : undefined, 'SIGSTOP'),
    resume: () => signal(isUp() ? current()!.child.pid : undefined, 'SIGCONT'),
    async ensureRunning() {
      if (isUp()) return
      // Whoever asks again while a busy machine starts it waits for the same start.
      starting ??= start().finally(() => {
        starting = undefined
      })
      await starting
    },
    log: () => lives.flatMap((life) => life.log).join('\n'),
    stop: async () => void (await current()!.stop()),
  }
}
