import { execFileSync } from 'node:child_process'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { completionScript } from './completion.ts'

const program = new Command('tool')
program.command('run').option('--config <file>', 'file')
const pin = program.command('pin')
pin.command('add').option('--endpoint <name>', 'name')
pin.command('list')

/** What bash offers at the last of these words. */
function offered(...words: readonly string[]): string[] {
  const script = `${completionScript(program, 'bash')}
COMP_WORDS=(tool "$@")
COMP_CWORD=$#
_tool_complete
printf '%s\\n' "\${COMPREPLY[@]}"`
  const stdout = execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
  return stdout.split('\n').filter((word) => word !== '')
}

test.each([
  [[''], ['run', 'pin', '--help']],
  [['p'], ['pin']],
  [
    ['run', '--'],
    ['--config', '--help'],
  ],
  [
    ['pin', ''],
    ['add', 'list', '--help'],
  ],
  [['pin', 'add', '--e'], ['--endpoint']],
  [['run', '--config', 'a.yaml', '--c'], ['--config']],
  [['pin', 'x'], []],
])('behind %j bash offers %j', (words, expected) => {
  expect(offered(...words)).toEqual(expected)
})

test('zsh is given the same by its own bridge', () => {
  expect(completionScript(program, 'zsh')).toContain(completionScript(program, 'bash'))
  expect(completionScript(program, 'zsh')).toMatch(/^autoload .*bashcompinit/)
})

test('under another name the script is for that name, and no name is more than one', () => {
  expect(completionScript(program, 'bash', 'my-tool')).toMatch(
    /complete -o default -F _my_tool_complete my-tool\n$/,
  )
  expect(() => completionScript(program, 'bash', 'a; b')).toThrow('not the name of a command')
})

test('another shell is a mistake of usage', () => {
  expect(() => completionScript(program, 'fish')).toThrow('bash and zsh')
})
