import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const RUN = join(import.meta.dirname, 'commands', 'run.ts')

/** Imports what `router run` does, and tells which packages were loaded, and whether Node's own `fetch` was. */
const SCRIPT = `
  import { registerHooks } from 'node:module'
  const packages = new Set()
  let isUndiciWhole = false
  registerHooks({
    load(url, context, next) {
      packages.add(/.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1])
      isUndiciWhole ||= url.endsWith('/undici/index.js')
      return next(url, context)
    },
  })
  await import(${JSON.stringify(RUN)})
  const hasFetch = process.moduleLoadList.includes('NativeModule internal/deps/undici/undici')
  console.log(JSON.stringify({ packages: [...packages].filter(Boolean).sort(), isUndiciWhole, hasFetch }))
`

// Each of them is waited for by whoever asks a router that has just been started (docs/performance.md).
test('a start loads no package but those that read its configuration, ask its database, and relay', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    packages: ['jose', 'postgres', 'ulid', 'undici', 'yaml'],
    isUndiciWhole: false,
    hasFetch: false,
  })
})
