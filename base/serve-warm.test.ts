import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const FILE = JSON.stringify(join(import.meta.dirname, 'serve-warm.ts'))

test('V8 knows what it is told', () => {
  expect(said(`(await import(${FILE})).serveWarm()`)).toBe('')
  expect(said("(await import('node:v8')).setFlagsFromString('--no-such-flag')")).toContain('--no-such-flag')
})

/** What a Node by itself says: what V8 is told holds for the whole process. */
function said(code: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
    encoding: 'utf8',
  })
  return `${stdout}${stderr}`
}
