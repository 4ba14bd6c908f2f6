import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

/** Who may not read whom: a file, and what it imports. */
const refused = [
  ['server/one.ts', '../tests/a.ts'],
  ['server/relay/two.ts', './testing/world.ts'],
  ['server/three.test.ts', '../proxy/log.ts'],
  ['server/testing/four.ts', '../../conformance/a.ts'],
  ['proxy/one.ts', '../server/log.ts'],
  ['proxy/two.test.ts', '../server/log.ts'],
  ['egress/verdict/one.ts', './testing/a.ts'],
  ['egress/verdict/two.test.ts', '../../proxy/log.ts'],
  ['attestation/one.ts', 'node:fs'],
  ['attestation/testing/two.ts', '../../proxy/log.ts'],
  ['attestation/three.test.ts', '#egress/a.ts'],
  ['platform/one.ts', '../tests/a.ts'],
  ['platform/two.test.ts', '#attestation'],
  ['base/one.test.ts', '#contract/limits'],
  ['config/one.test.ts', '../server/log.ts'],
  ['conformance/engine/one.ts', '../../server/log.ts'],
  ['conformance/testing/two.ts', '../../proxy/log.ts'],
  ['mutants/one.ts', '../stack/run.ts'],
  ['stack/one.ts', '../tests/a.ts'],
  ['stack/two.test.ts', '../mutants/a.ts'],
  ['tests/one.ts', '../mutants/a.ts'],
  ['bench/one.ts', '../stack/run.ts'],
  ['server/four.ts', '../faults/a.ts'],
  ['bench/two.ts', '../faults/a.ts'],
  ['faults/one.ts', '../proxy/log.ts'],
  ['faults/audit/two.ts', '#attestation'],
  ['server/console/one.ts', '../../console/src/app.ts'],
  ['console/src/one.ts', '../../server/console/handlers.ts'],
  ['console/src/two.tsx', '#contract/errors'],
  ['console/src/three.test.tsx', '#attestation'],
  ['spec/one.ts', '../server/log.ts'],
  ['client/one.ts', '#base/log.ts'],
  ['client/two.ts', 'node:fs'],
  ['pack/one.ts', '../server/log.ts'],
  ['pack/two.ts', './testing/a.ts'],
  ['proxy/three.ts', '../pack/a.ts'],
  ['site/one.ts', '../server/log.ts'],
  ['site/pages/two.ts', '#attestation'],
] as const

const allowed = [
  ['server/allowed.ts', '#egress/a.ts'],
  ['server/allowed.test.ts', '../tests/needs.ts'],
  ['proxy/allowed.ts', '#attestation'],
  ['attestation/allowed.test.ts', 'node:fs'],
  ['conformance/testing/allowed.ts', '../../server/log.ts'],
  ['tests/allowed.ts', '../stack/run.ts'],
  ['faults/allowed.ts', '../tests/switch.ts'],
  ['client/allowed.ts', '#contract/errors'],
  ['pack/allowed.ts', '../conformance/lock/lock.ts'],
  ['pack/allowed.test.ts', '../tests/service.ts'],
  ['tests/two-allowed.ts', '../pack/a.ts'],
  ['site/allowed.ts', '#contract/errors'],
  ['site/allowed.test.ts', '../tests/guides/page.ts'],
  ['server/two-allowed.ts', './console/handlers.ts'],
  ['server/console/allowed.ts', '#contract/console/types'],
  ['console/src/allowed.tsx', '#contract/console/types'],
] as const

let folder: string
let found: readonly string[]

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'walls-'))
  const { vcs: _, ...config } = JSON.parse(readFileSync(join(ROOT, 'biome.json'), 'utf8')) as { vcs: unknown }
  write('biome.json', JSON.stringify(config))
  for (const [file, from] of [...refused, ...allowed])
    write(file, `import { one } from '${from}'\n\nconsole.log(one)\n`)
  const biome = join(ROOT, 'node_modules', '.bin', 'biome')
  const args = ['lint', '--only=style/noRestrictedImports', '--max-diagnostics=none', '--reporter=json', '.']
  const { stdout } = spawnSync(biome, args, { cwd: folder, encoding: 'utf8' })
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: readonly { readonly location: { readonly path: string | { readonly file: string } } }[]
  }
  found = diagnostics.map(({ location: { path } }) => (typeof path === 'string' ? path : path.file))
})

afterAll(() => rmSync(folder, { recursive: true }))

test.each(refused)('%s may not read %s', (file) => {
  expect(found).toContain(file)
})

test.each(allowed)('%s may read %s', (file) => {
  expect(found).not.toContain(file)
})

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true })
  writeFileSync(join(folder, name), text)
}
