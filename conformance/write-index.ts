import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { discover } from './engine/discover.ts'
import { describeIndex } from './report/index.ts'

const INDEX = join(import.meta.dirname, 'scenarios.json')

// The last part of `npm run generate`: the page of the rules names the scenarios of each and may not run them.
const found = await discover()
const index = describeIndex(found)
const isNew = index !== readFileSync(INDEX, { encoding: 'utf8', flag: 'a+' })
if (isNew) writeFileSync(INDEX, index)
console.log(`conformance/scenarios.json lists ${found.length} scenarios.`)
if (isNew)
  execFileSync(process.execPath, [join(import.meta.dirname, '../spec/generate.ts')], { stdio: 'inherit' })
