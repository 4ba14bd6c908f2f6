import type { Command } from 'commander'
import { vi } from 'vitest'

/** How a command ended that was run within the test's own process. */
export interface InProcess {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Every command of a program that does something, by the words that call it. */
export function commandsOf(program: Command, words: readonly string[] = []): string[] {
  if (program.commands.length === 0) return [words.join(' ')]
  return program.commands.flatMap((command) => commandsOf(command, [...words, command.name()]))
}

/** Runs a program's command and catches what it writes. One at a time: the process has one standard output. */
export async function runInProcess(
  run: (args: readonly string[]) => Promise<number | undefined>,
  args: readonly string[],
): Promise<InProcess> {
  const written = { stdout: '', stderr: '' }
  const catchIn = (name: 'stdout' | 'stderr') =>
    vi.spyOn(process[name], 'write').mockImplementation((piece: string | Uint8Array) => {
      written[name] += typeof piece === 'string' ? piece : Buffer.from(piece).toString('utf8')
      return true
    })
  const spies = [catchIn('stdout'), catchIn('stderr')]
  try {
    const code = await run(args)
    return { ...written, code: code ?? Number(process.exitCode ?? 0) }
  } finally {
    for (const spy of spies) spy.mockRestore()
    process.exitCode = 0
  }
}
