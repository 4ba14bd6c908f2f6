import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..')
const sources = globSync('{*/*.ts,*/**/*.ts}', {
  cwd: ROOT,
  exclude: ['node_modules', 'generated', '.data', 'dist'],
}).map((file) => readFileSync(join(ROOT, file), 'utf8'))
const modules = globSync('generated/validators/*.js', { cwd: ROOT }).map((file) => file.split('/').at(-1)!)

test.each(modules)('%s is used: without that, take @validated from its model', (file) => {
  const specifier = `'#contract/validators/${file.replace('.js', '')}'`
  expect(sources.some((text) => text.includes(specifier))).toBe(true)
})
