import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { PROJECT } from './clone.ts'
import { blocksOf } from './page.ts'

const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8')

function list(pattern: string): readonly string[] {
  const exclude = ['**/node_modules/**', '.data/**', 'dist/**', '.git/**']
  return globSync(pattern, { cwd: PROJECT, exclude })
}

/** Pages whose blocks a test takes one after the other, and that test. */
const taken: Readonly<Record<string, string>> = {
  'README.md': 'tests/guides.integration.test.ts',
  'conformance/README.md': 'tests/guides.integration.test.ts',
  'docs/auditor.md': 'tests/auditor.integration.test.ts',
  'docs/conformance.md': 'tests/guides.integration.test.ts',
  'docs/integrator.md': 'tests/guides.integration.test.ts',
  'docs/operator.md': 'tests/guides.integration.test.ts',
  'docs/user.md': 'tests/guides.integration.test.ts',
  'pack/binary/README.md': 'tests/adopt/user.integration.test.ts',
  'pack/client/README.md': 'tests/adopt/integrator.integration.test.ts',
  'pack/conformance/README.md': 'tests/adopt/implementer.integration.test.ts',
  'pack/router/README.md': 'tests/adopt/operator.integration.test.ts',
}

/** What was done once, on a day and a machine that the page names. */
const isHistory = (page: string) => page.startsWith('reports/')

const commands = list('**/*.md')
  .filter((page) => !isHistory(page))
  .flatMap((page) => blocksOf(read(page)).map((block) => ({ page, ...block })))
  .filter(({ language }) => language === 'sh')

test('every block of commands is taken by a test, or says why it is not', () => {
  const left = commands
    .filter(({ page, remark = '' }) => !Object.hasOwn(taken, page) && !/^not run: \S/.test(remark))
    .map(({ page, line }) => `${page}:${line}`)
  expect(left).toEqual([])
  expect(commands.length).toBeGreaterThan(50)
})

test.each(Object.entries(taken))('%s is named by %s', (page, source) => {
  expect(read(source)).toContain(`'${page}'`)
})

test('every script that a block runs is one of the project’s', () => {
  const unknown = commands.flatMap(({ page, line, text }) =>
    [...text.matchAll(/\bnpm run ([\w:-]+)/g)]
      .filter(([, script = '']) => !Object.hasOwn(manifest.scripts, script))
      .map(([run]) => `${page}:${line}: ${run}`),
  )
  expect(unknown).toEqual([])
})
