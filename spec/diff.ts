import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { messageOf } from '#base/thrown.ts'
import type { JsonObject } from './diff/document.ts'
import { compareDocuments } from './diff/operations.ts'
import { findReleased } from './diff/released.ts'

const ROOT = join(import.meta.dirname, '..')
const CURRENT = join(ROOT, 'generated', 'openapi.yaml')

const HELP = `Under /v1 the contract only grows (VERS-02): what is new may stand beside what was there, and a breaking change is /v2.`

// `npm run contract:diff [-- FILE|REVISION]`: fails when the contract broke a promise of the released one.
try {
  const released = findReleased(process.argv[2], ROOT)
  if (released === undefined)
    console.log('Nothing was released yet (no tag v…): the contract may still change.')
  else compare(released.name, parse(released.text), parse(readFileSync(CURRENT, 'utf8')))
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}

function compare(name: string, released: JsonObject, current: JsonObject): void {
  const broken = compareDocuments({ released, current })
  if (broken.length > 0) {
    const lines = broken.map(({ place, message }) => `  ${place}: ${message}`)
    console.error(`The contract breaks what ${name} promised:\n${lines.join('\n')}\n${HELP}`)
    process.exitCode = 1
  } else {
    console.log(`generated/openapi.yaml keeps every promise of ${name}.`)
  }
}
