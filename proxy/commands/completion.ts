import type { Command } from 'commander'
import { completionScript } from '#base/completion.ts'
import { type OutputOptions, print } from '#base/print.ts'
import type { CompletionScriptOutput } from '#contract/models'

/** What `proxy completion` takes. */
export interface CompletionOptions extends OutputOptions {
  /** What the command is called where it is installed. */
  readonly command: string
}

/** `proxy completion SHELL`: prints what a shell completes the program's commands by (CMD-38). */
export function completion(program: Command, shell: string, options: CompletionOptions): void {
  const { command } = options
  const script = completionScript(program, shell, command)
  const document: CompletionScriptOutput = { shell, command, script }
  print(options, document, script.trimEnd().split('\n'))
}
