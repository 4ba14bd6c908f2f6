import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

/** A program that says what it does; it is ready once it has said so. */
async function start(lines: string, stderr: 'inherit' | 'pipe' = 'inherit') {
  const program = `
    import { finishOnSignals } from ${JSON.stringify(import.meta.resolve('./interruption.ts'))}
    const say = (line) => process.stdout.write(line + '\\n')
    const alive = setInterval(() => {}, 1_000)
    ${lines}
    say('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', stderr],
  })
  const exited = once(child, 'exit')
  const stdout = child.stdout!
  await once(stdout, 'readable')
  return { child, exited, said: text(stdout) }
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends a program when all is finished',
  async (signal) => {
    const { child, exited, said } = await start(`
    finishOnSignals(async () => { say('one'); throw new Error('it cannot be') })
    finishOnSignals(async () => { await new Promise((done) => setTimeout(done, 50)); say('two') })
    finishOnSignals(async () => say('three')).end()`)
    child.kill(signal)
    expect(await exited).toEqual([null, signal])
    expect((await said).trim().split('\n')).toEqual(['ready', 'one', 'two'])
  },
)

test('what fails meanwhile does not end it before', async () => {
  const { child, exited, said } = await start(`
    const waiting = Promise.withResolvers()
    finishOnSignals(async () => {
      waiting.reject(new Error('cut off'))
      await new Promise((done) => setTimeout(done, 50))
      say('finished')
    })
    waiting.promise.then(() => {})`)
  child.kill('SIGINT')
  expect(await exited).toEqual([null, 'SIGINT'])
  expect(await said).toContain('finished')
})

test('whoever waits for long is told why', async () => {
  const { child, exited } = await start(
    'finishOnSignals(() => new Promise((done) => setTimeout(done, 1_200)))',
    'pipe',
  )
  const told = text(child.stderr!)
  child.kill('SIGINT')
  expect(await exited).toEqual([null, 'SIGINT'])
  expect(await told).toMatch(/^Still stopping .* Once more ends it at once/)
})

test('a second signal ends it at once', async () => {
  const { child, exited } = await start(`
    finishOnSignals(() => {
      process.kill(process.pid, 'SIGTERM')
      return new Promise(() => {})
    })`)
  child.kill('SIGINT')
  expect(await exited).toEqual([null, 'SIGTERM'])
})

test('where nothing is left to finish, a signal ends it as ever', async () => {
  const { child, exited } = await start(`finishOnSignals(() => new Promise(() => {})).end()`)
  child.kill('SIGTERM')
  expect(await exited).toEqual([null, 'SIGTERM'])
})
