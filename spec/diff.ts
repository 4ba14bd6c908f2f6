import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { JsonObject } from './diff/document.ts'
import { compareDocuments } from './diff/operations.ts'

const RELEASED = join(import.meta.dirname, 'released', 'openapi.yaml')
const CURRENT = join(import.meta.dirname, '..', 'generated', 'openapi.yaml')

const HELP = `Under /v1 the contract only grows (§9): what is new may stand beside what was there, and a breaking change is /v2.
If what broke was never released, copy generated/openapi.yaml to spec/released/ in a commit that says so.`

// `npm run contract:diff`: fails when the contract broke a promise of the released one.
const [released, current] = await Promise.all([read(RELEASED), read(CURRENT)])
const broken = compareDocuments({ released, current })
if (broken.length > 0) {
  const lines = broken.map(({ place, message }) => `  ${place}: ${message}`)
  console.error(`The contract breaks what was released:\n${lines.join('\n')}\n${HELP}`)
  process.exitCode = 1
} else {
  console.log('generated/openapi.yaml keeps every promise of spec/released/openapi.yaml.')
}

async function read(file: string): Promise<JsonObject> {
  return parse(await readFile(file, 'utf8')) as JsonObject
}
