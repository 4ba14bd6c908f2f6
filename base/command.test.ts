import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { createCommand, options, runCommand, UsageError } from './command.ts'
import { runInProcess } from './testing/commands.ts'

const configError = Object.assign(new Error('a.yaml has a mistake:\n  a: is wrong'), { name: 'ConfigError' })

function programThat(act: (given: object) => void) {
  const program = createCommand('program', 'What it is.').version('1.2.3')
  program
    .command('run')
    .option(...options.json)
    .action(act)
  return program
}

test.each([
  [new UsageError('--from makes no sense.'), 2, '--from makes no sense.\n'],
  [configError, 4, 'a.yaml has a mistake:\n  a: is wrong\n'],
  [new Error('lost\u001b'), 1, 'lost\\u001b\n'],
])('%o ends with its exit code, and is told', async (thrown, code, stderr) => {
  const program = programThat(() => {
    throw thrown
  })
  const ended = await runInProcess((args) => runCommand(program, args), ['run'])
  expect(ended).toEqual({ code, stdout: '', stderr })
})

test('what is spelled wrong is 2, what is asked is answered with 0, and what is done says nothing', async () => {
  const act = vi.fn()
  const run = (...args: string[]) => runInProcess((given) => runCommand(programThat(act), given), args)
  expect(await run('run', '--nope')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--help shows'),
  })
  expect(await run('--version')).toMatchObject({ code: 0, stdout: '1.2.3\n' })
  expect(act).not.toHaveBeenCalled()
  expect(await run('run', '--json')).toEqual({ code: 0, stdout: '', stderr: '' })
  expect(act.mock.lastCall?.[0]).toEqual({ json: true })
})

test('a program may have codes of its own', async () => {
  const codes = { error: 2, usage: 64, configuration: 64 }
  const program = programThat(() => {
    throw configError
  })
  const run = (...args: string[]) => runInProcess((given) => runCommand(program, given, codes), args)
  expect((await run('run')).code).toBe(64)
  expect((await run('nope')).code).toBe(64)
})

test('output that finds no room is told, and is no success', () => {
  const full = openSync('/dev/full', 'w')
  const router = fileURLToPath(new URL('../bin/router', import.meta.url))
  const { status, stderr } = spawnSync(router, ['--help'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  closeSync(full)
  expect(stderr).toMatch(/^The output could not be written: ENOSPC: .+\n$/)
  expect(status).toBe(1)
})
