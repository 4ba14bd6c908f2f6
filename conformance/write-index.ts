import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAndTell } from '#base/tree.ts'
import { discover } from './engine/discover.ts'
import { lock } from './lock/lock.ts'
import { updateLock } from './lock/update.ts'
import { describeIndex } from './report/index.ts'

const NAME = 'conformance/scenarios.json'
const INDEX = join(import.meta.dirname, 'scenarios.json')
const LOCK_NAME = 'conformance/lock/lock.json'
const LOCK = join(import.meta.dirname, 'lock', 'lock.json')

// A part of `npm run generate`: the page of the rules names the scenarios of each and may not run them, and the lock keeps
// each id with the version in which it came.
// With --check, the last part of `npm run generate:check`: nothing is written, and a stale index fails.
const found = await discover()
const update = updateLock(
  lock,
  found.map(({ scenario }) => scenario.id),
)
const index = describeIndex(found)
const locked = 'lock' in update ? `${JSON.stringify(update.lock, null, 2)}\n` : undefined
if ('problems' in update) {
  console.error(`${LOCK_NAME}:\n${update.problems.join('\n')}`)
  process.exitCode = 1
} else if (!process.argv.includes('--check')) {
  await writeAndTell(LOCK, locked!, LOCK_NAME)
  if (await writeAndTell(INDEX, index, NAME))
    execFileSync(process.execPath, [join(import.meta.dirname, '../spec/generate.ts')], { stdio: 'inherit' })
  console.log(`${NAME} is up to date.`)
} else if (index === read(INDEX) && locked === read(LOCK)) {
  console.log(`${NAME} lists every scenario, and ${LOCK_NAME} keeps every id.`)
} else {
  console.error(
    `${NAME} or ${LOCK_NAME} is out of date.\nRun \`npm run generate\` and commit it with the scenarios.`,
  )
  process.exitCode = 1
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
