import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAndTell } from '#base/tree.ts'
import { describeBase, readBase } from './trusted-base/describe.ts'

const NAME = 'docs/trusted-base.md'
const PAGE = join(import.meta.dirname, '..', NAME)

/** The page with its lists made anew; what stands around them is written by hand. */
export function makePage(page = readFileSync(PAGE, 'utf8')): string {
  const [head = '', rest = ''] = page.split('<!-- tables -->\n')
  const [, tail = ''] = rest.split('<!-- end of tables -->\n')
  return `${head}<!-- tables -->\n${describeBase(readBase())}<!-- end of tables -->\n${tail}`
}

// The last part of `npm run generate`: lists anew what a verdict depends on.
if (import.meta.main) {
  await writeAndTell(PAGE, makePage(), NAME)
  console.log(`${NAME} is up to date.`)
}
