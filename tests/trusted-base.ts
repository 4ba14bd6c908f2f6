import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeBase, readBase } from './trusted-base/describe.ts'

const PAGE = join(import.meta.dirname, '..', 'docs', 'trusted-base.md')

/** The page with its tables made anew; what stands around them is written by hand. */
export function makePage(page = readFileSync(PAGE, 'utf8')): string {
  const [head = '', rest = ''] = page.split('<!-- tables -->\n')
  const [, tail = ''] = rest.split('<!-- end of tables -->\n')
  return `${head}<!-- tables -->\n${describeBase(readBase())}<!-- end of tables -->\n${tail}`
}

// `npm run trusted-base`: counts anew what a verdict depends on.
if (import.meta.main) writeFileSync(PAGE, makePage())
