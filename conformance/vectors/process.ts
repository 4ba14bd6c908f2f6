import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'

/** How a program ended, and what it printed. */
export interface Ended {
  readonly code: number | null
  readonly output: string
}

/** How long a verifier may take for one call, or be silent between two lines, before it is killed (ours). */
const PATIENCE_MS = 60_000

/** Runs a command line of the user's once, with some text on its standard input. */
export async function runOnce(command: string, input: string): Promise<Ended> {
  const child = start(command)
  const stop = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  try {
    child.stdin.end(input)
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    return { code: code as number | null, output }
  } finally {
    clearTimeout(stop)
  }
}

/** Runs it with a line for each input, and tells each line that comes back. */
export async function runLines(
  command: string,
  lines: Iterable<string>,
  onLine: (line: string) => void,
): Promise<Pick<Ended, 'code'>> {
  const child = start(command)
  const closed = once(child, 'close')
  const stop = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  const output = createInterface({ input: child.stdout })
  output.on('line', (line) => {
    stop.refresh()
    onLine(line)
  })
  try {
    for (const line of lines)
      if (!child.stdin.write(`${line}\n`)) await Promise.race([once(child.stdin, 'drain'), closed])
    child.stdin.end()
    const [code] = await closed
    return { code: code as number | null }
  } finally {
    clearTimeout(stop)
  }
}

function start(command: string) {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'] })
  // A verifier that does not read to the end shows it by what it answers.
  child.stdin.on('error', () => {})
  return child
}
