import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAndTell } from '#base/tree.ts'
import { readEntries } from './entries.ts'
import { describeRegistry } from './page.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const NAME = 'docs/compatibility.md'
const PAGE = join(ROOT, NAME)

// A part of `npm run generate`: the page of what is compatible, from reports/. With --check nothing is written.
const page = describeRegistry(readEntries(join(ROOT, 'reports')), '../reports')
if (!process.argv.includes('--check')) {
  await writeAndTell(PAGE, page, NAME)
  console.log(`${NAME} is up to date.`)
} else if (readFileSync(PAGE, 'utf8') === page) {
  console.log(`${NAME} shows every report.`)
} else {
  console.error(`${NAME} is out of date.\nRun \`npm run generate\` and commit it with the reports.`)
  process.exitCode = 1
}
