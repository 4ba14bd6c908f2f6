import { Command, CommanderError } from 'commander'
import { complain, complainOf, printUsage } from './print.ts'

/** How a command ends that was not done (CMD-08); a refusal is 3, which a command gives itself. */
export interface ExitCodes {
  readonly error: number
  /** A mistake in the arguments. */
  readonly usage: number
  /** A mistake in a configuration file. */
  readonly configuration: number
}

const EXIT: ExitCodes = { error: 1, usage: 2, configuration: 4 }

/** An argument that cannot be meant. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Options that several commands take, each spelled in one way. */
export const options = {
  json: ['--json', 'print one JSON document to stdout'],
  check: ['--check', 'check the configuration and stop'],
  withParent: ['--with-parent', 'stop when standard input closes: the starter has gone'],
} as const

/** A command of a program, or the program; it throws its mistakes, since `runCommand` owns the exit code. */
export function createCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .showHelpAfterError('(--help shows what is possible)')
    .configureOutput({ outputError: printUsage })
    .exitOverride()
}

/**
 * Runs the command that the arguments name, and tells on standard error why one was not done. Gives the exit code;
 * undefined where the command has come to its end, and has set it itself if it is not 0.
 */
export async function runCommand(
  program: Command,
  args: readonly string[],
  exit: ExitCodes = EXIT,
  tell: (thrown: unknown) => void = complainOf,
): Promise<number | undefined> {
  for (const [stream, onError] of outputs)
    if (!stream.listeners('error').includes(onError)) stream.on('error', onError)
  try {
    await program.parseAsync(args, { from: 'user' })
    return undefined
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : exit.usage
    tell(thrown)
    if (thrown instanceof UsageError) return exit.usage
    // Known by its name: its file brings the YAML parser along.
    return thrown instanceof Error && thrown.name === 'ConfigError' ? exit.configuration : exit.error
  }
}

/** Whoever reads no further (`| head`) has what they wanted; how the command ended is for its exit code to tell. */
function tellOfOutput({ code, message }: NodeJS.ErrnoException): void {
  // Each piece that is written fails; it is told of the first.
  if (code === 'EPIPE' || process.listeners('exit').includes(failAtExit)) return
  complain(`The output could not be written: ${message}`)
  // The command goes on, and stops what it has started; but what was asked for is not there.
  process.on('exit', failAtExit)
}

function failAtExit(): void {
  process.exitCode ||= 1
}

/** Nobody is left to be told of the second one's. */
const outputs = [
  [process.stdout, tellOfOutput],
  [process.stderr, () => {}],
] as const
