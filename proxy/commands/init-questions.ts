import { createInterface } from 'node:readline/promises'
import { UsageError } from '#base/command.ts'

/** What a person is asked. */
export interface Questions {
  /** Asks for a text. */
  ask(question: string): Promise<string>
  /** Whether the answer is yes; anything else, and no answer at all, is no. */
  confirm(question: string): Promise<boolean>
  close(): void
}

/**
 * Asks at the terminal; with `--yes` every question is answered by it. Throws `UsageError` where nobody can be asked, or
 * where a yes would stand for what nobody has named.
 */
export function openQuestions(
  options: { readonly yes?: true; readonly json?: true },
  isAllNamed: boolean,
): Questions {
  if (options.yes) {
    if (!isAllNamed)
      throw new UsageError('--yes needs the URL and --root: it says yes to nothing that you have not named.')
    return { ask: async () => '', confirm: async () => true, close() {} }
  }
  if (options.json) throw new UsageError('--json asks nothing: say --yes.')
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError('There is no terminal to ask at: say --yes, with the URL and --root.')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  const ask = (question: string) => Promise.race([terminal.question(question), ended])
  return {
    ask,
    confirm: async (question) => /^y(es)?$/i.test((await ask(`${question} [yes/no] `)).trim()),
    close: () => terminal.close(),
  }
}
