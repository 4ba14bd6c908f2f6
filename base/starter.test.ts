import { expect, test } from 'vitest'
import { startProgram, startServing } from './starter.ts'

const node = (code: string) => ({ file: process.execPath, args: ['--eval', code, '--'] })

const SERVING = `console.error('one'); console.log('{\\n"at":'); console.log(JSON.stringify(process.argv.slice(1)) + '}');`

test('a program that serves is started with its document, keeps its log and ends when it is told to', async () => {
  const code = `process.on('SIGTERM', () => { console.error('two'); process.exit(3) }); ${SERVING} process.stdin.resume()`
  const program = await startServing<{ at: readonly string[] }>(node(code))
  expect(program.ready.at).toEqual(['--json', '--with-parent'])
  expect(await program.stop()).toBe(3)
  expect(program.log).toEqual(['one', 'two'])
  expect(await program.exited).toBe('exit code 3')
})

test('one that does not listen is ended when patience is over', async () => {
  const code = `process.on('SIGTERM', () => {}); ${SERVING} setInterval(() => {}, 1000)`
  const program = await startServing({ ...node(code), patienceMs: 50 })
  expect(await program.stop()).toBeNull()
  expect(await program.exited).toBe('SIGKILL')
})

test('one that ends before it serves is told with what it complained about', async () => {
  const broken = startServing(node(`console.error('no such thing'); process.exitCode = 4`))
  await expect(broken).rejects.toThrow(/did not start \(exit code 4\): no such thing/)
  const { exited, stop } = startProgram({ file: '/nowhere/program', args: [] })
  expect(await exited).toContain('ENOENT')
  await stop()
})
