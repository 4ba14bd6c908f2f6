import { createCommand, runCommand, UsageError } from '#base/command.ts'

/** A number that a benchmark can be given: what it is, and what it is otherwise. */
export type Count = readonly [what: string, usual: number]

/** What else it can be given: texts, and flags; each with what it is. */
export interface MoreArguments<Text extends string, Flag extends string> {
  readonly texts?: Readonly<Record<Text, string>>
  readonly flags?: Readonly<Record<Flag, string>>
}

/** What it was given. */
export type Given<Number extends string, Text extends string, Flag extends string> = Readonly<
  Record<Number, number> & Partial<Record<Text, string> & Record<Flag, true>>
>

/**
 * Reads the arguments of a benchmark: numbers, `--NAME N` each, and more, none of them needed. Where help is asked for, or
 * an argument cannot be meant, it says what is possible and ends the program: nothing has been started yet.
 */
export async function readArguments<
  Number extends string,
  Text extends string = never,
  Flag extends string = never,
>(
  benchmark: string,
  description: string,
  counts: Readonly<Record<Number, Count>>,
  { texts, flags }: MoreArguments<Text, Flag> = {},
): Promise<Given<Number, Text, Flag>> {
  const command = createCommand(`npm run bench:${benchmark} --`, description)
  for (const [name, [what, usual]] of Object.entries<Count>(counts))
    command.option(`--${name} <count>`, what, (text) => positive(`--${name}`, text), usual)
  for (const [name, what] of Object.entries<string>(texts ?? {})) command.option(`--${name} <words>`, what)
  for (const [name, what] of Object.entries<string>(flags ?? {})) command.option(`--${name}`, what)
  command.action(() => {})
  const code = await runCommand(command, process.argv.slice(2))
  if (code !== undefined) process.exit(code)
  return command.opts()
}

/** Reads a number that an option takes. Throws `UsageError`, which names it. */
export function positive(option: string, text: string): number {
  const value = Number(text)
  if (!(value > 0) || !Number.isFinite(value))
    throw new UsageError(`${option} takes a number above 0, not ${text}.`)
  return value
}
