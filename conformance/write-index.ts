import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { discover } from './engine/discover.ts'
import { describeIndex } from './report/index.ts'

const INDEX = join(import.meta.dirname, 'scenarios.json')

// The last part of `npm run generate`: the page of the rules names the scenarios of each and may not run them.
// With --check, the last part of `npm run generate:check`: nothing is written, and a stale index fails.
const isCheck = process.argv.includes('--check')
const found = await discover()
const index = describeIndex(found)
const isNew = index !== readIndex()
if (isCheck && isNew) {
  console.error(
    'conformance/scenarios.json is out of date.\nRun `npm run generate` and commit it with the scenarios.',
  )
  process.exitCode = 1
} else console.log(`conformance/scenarios.json lists ${found.length} scenarios.`)
if (!isCheck && isNew) {
  writeFileSync(INDEX, index)
  execFileSync(process.execPath, [join(import.meta.dirname, '../spec/generate.ts')], { stdio: 'inherit' })
}

function readIndex(): string {
  try {
    return readFileSync(INDEX, 'utf8')
  } catch {
    return ''
  }
}
