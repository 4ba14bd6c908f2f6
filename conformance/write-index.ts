import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAndTell } from '#base/tree.ts'
import { discover } from './engine/discover.ts'
import { describeIndex } from './report/index.ts'

const NAME = 'conformance/scenarios.json'
const INDEX = join(import.meta.dirname, 'scenarios.json')

// A part of `npm run generate`: the page of the rules names the scenarios of each and may not run them.
// With --check, the last part of `npm run generate:check`: nothing is written, and a stale index fails.
const found = await discover()
const index = describeIndex(found)
if (!process.argv.includes('--check')) {
  if (await writeAndTell(INDEX, index, NAME))
    execFileSync(process.execPath, [join(import.meta.dirname, '../spec/generate.ts')], { stdio: 'inherit' })
  console.log(`${NAME} is up to date.`)
} else if (index === readIndex()) {
  console.log(`${NAME} lists every scenario.`)
} else {
  console.error(`${NAME} is out of date.\nRun \`npm run generate\` and commit it with the scenarios.`)
  process.exitCode = 1
}

function readIndex(): string {
  try {
    return readFileSync(INDEX, 'utf8')
  } catch {
    return ''
  }
}
