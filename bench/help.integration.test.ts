import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const HOME = join(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(HOME, 'package.json'), 'utf8'))
const benchmarks = Object.entries<string>(scripts)
  .filter(([name]) => name === 'bench' || name.startsWith('bench:'))
  .map(([name, command]) => [name, command.replace('node ', '')] as const)

function run(file: string, argument: string) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, argument], {
    ...{ cwd: HOME, encoding: 'utf8', timeout: 60_000 },
  })
  return { status, stdout, stderr }
}

test.each(benchmarks)('%s says what it does in place of doing it', (name, file) => {
  const { status, stdout } = run(file, '--help')
  expect(status).toBe(0)
  expect(stdout).toContain(`npm run ${name}`)
})

test.each(benchmarks)('%s begins nothing where an argument cannot be meant', (_, file) => {
  const { status, stderr } = run(file, '--no-such-thing')
  expect(status).toBe(2)
  expect(stderr).toContain('--no-such-thing')
})
