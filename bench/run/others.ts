import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A benchmark of its own, which knows itself whether its promise is kept. */
export interface Other {
  readonly name: string
  readonly promise: string
  readonly args: readonly string[]
}

/** What it came to. */
export interface OtherResult extends Pick<Other, 'name' | 'promise'> {
  readonly isKept: boolean
  /** What it said last. */
  readonly words: readonly string[]
}

const ROOM = join(import.meta.dirname, '..')
const LAST_LINES = 6

/** The benchmarks beside this one, in the order of bench/README.md. */
export const others: readonly Other[] = [
  { name: 'bundles', promise: 'any evidence bundle is judged within 50 ms', args: ['bundles.ts'] },
  { name: 'bodies', promise: 'any body is judged within 10 ms a MiB', args: ['bodies.ts'] },
  {
    name: 'fairness',
    promise: 'a hostile workspace costs another at most 20 % and 50 ms',
    args: ['fairness.ts', '--rounds', '3'],
  },
  { name: 'console', promise: 'no page of a million requests takes more than 300 ms', args: ['console.ts'] },
  {
    name: 'settlement',
    promise: 'one workspace settles 15,000 generations a second for a minute, and none is lost',
    args: ['settlement.ts'],
  },
  {
    name: 'overload',
    promise:
      'asked for five times what it can do, p99 of what is accepted is at most 3 times the unloaded, and refusals come within 50 ms',
    args: ['overload.ts'],
  },
]

/** Runs one to its end; what it says is told as it comes. */
export async function runOther(
  { name, promise, args: [file, ...args] }: Other,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<OtherResult> {
  signal.throwIfAborted()
  const child = spawn(process.execPath, [join(ROOM, file!), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const stop = (): void => void child.kill('SIGTERM')
  signal.addEventListener('abort', stop)
  const words: string[] = []
  for (const output of [child.stdout, child.stderr])
    createInterface(output).on('line', (line) => {
      say(`${name}  ${line}`)
      words.push(line)
    })
  const [code] = (await once(child, 'close')) as [number | null]
  signal.removeEventListener('abort', stop)
  signal.throwIfAborted()
  return { name, promise, isKept: code === 0, words: words.filter(Boolean).slice(-LAST_LINES) }
}
