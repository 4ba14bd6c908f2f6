import type { Command } from 'commander'
import { UsageError } from './command.ts'

/** The shells that a script is made for. */
export const SHELLS = ['bash', 'zsh'] as const

/**
 * A script that completes the commands and options of a program, as it declares them itself (CMD-38); `name` is what it
 * is called where it is installed.
 */
export function completionScript(program: Command, shell: string, name = program.name()): string {
  if (!SHELLS.some((one) => one === shell))
    throw new UsageError(`There is a script for ${SHELLS.join(' and ')}, not for "${shell}".`)
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    throw new UsageError(`"${name}" is not the name of a command.`)
  const complete = `_${name.replace(/[.-]/g, '_')}_complete`
  const cases = tableOf(program).map(
    ([words, possible]) => `    ${JSON.stringify(words)}) possible=${JSON.stringify(possible.join(' '))} ;;`,
  )
  const script = `${complete}() {
  local word path='' possible='' index
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "\${path:+$path }$word" in
${pathsOf(program)
  .map((words) => `      ${JSON.stringify(words)}) path=${JSON.stringify(words)} ;;`)
  .join('\n')}
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  # Where nothing of ours fits, it is the name of a file.
  COMPREPLY=($(compgen -W "$possible" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F ${complete} ${name}
`
  return shell === 'bash'
    ? script
    : `autoload -U +X compinit bashcompinit && compinit -u && bashcompinit\n${script}`
}

/** Commands by the words that lead to them, with what can stand there next. */
function tableOf(program: Command, words: readonly string[] = []): [words: string, possible: string[]][] {
  const names = program.commands.map((command) => command.name())
  const flags = [...program.options.map(({ long }) => long ?? ''), '--help']
  return [
    [words.join(' '), [...names, ...flags]],
    ...program.commands.flatMap((command) => tableOf(command, [...words, command.name()])),
  ]
}

function pathsOf(program: Command): string[] {
  return tableOf(program)
    .map(([words]) => words)
    .filter((words) => words !== '')
}
