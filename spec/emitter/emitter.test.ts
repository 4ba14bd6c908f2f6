import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile, createSourceFile, NodeHost } from '@typespec/compiler'
import { afterAll, expect, test } from 'vitest'

const EMITTER = '@router/contract-emitter'
const folder = await mkdtemp(join(tmpdir(), 'emitter-'))

afterAll(() => rm(folder, { recursive: true, force: true }))

const row = `
  @error
  @errorRow(Status, Type, Code, Headers)
  model Row<Status extends int32, Type extends string, Code extends Reflection.Enum, Headers extends {} = {}> {
    code: Code;
  }`

test('one code under two rows is an error at the second', async () => {
  const found = await diagnose(`${row}
    enum First { /** A. */ @remedy("C.") twice }
    enum Second { /** B. */ @remedy("D.") twice }
    model A is Row<400, "a", First>;
    model B is Row<404, "b", Second>;`)
  expect(found).toEqual([
    {
      code: 'duplicate-code',
      message: 'The error code "twice" stands under two rows: A and B.',
      at: 'model B is',
    },
  ])
})

test.each([
  [
    'a row with the status of a success',
    `${row} enum C { /** A. */ @remedy("B.") a } model A is Row<200, "a", C>;`,
    'not-a-status',
  ],
  [
    'a code without a meaning',
    `${row} enum C { @remedy("B.") a } model A is Row<400, "a", C>;`,
    'no-meaning',
  ],
  ['a code without a remedy', `${row} enum C { /** A. */ a } model A is Row<400, "a", C>;`, 'no-remedy'],
  ['a limit that is no number', `@limits enum L { /** A. */ a: "1" }`, 'not-a-limit'],
  [
    'a limit that stands twice',
    `@limits enum L { /** A. */ a: 1 } @limits enum M { /** A. */ a: 2 }`,
    'duplicate-limit',
  ],
  [
    'a reason without a remedy',
    `/** S. */ enum S { /** A. */ a } @reasonsOf(S.a) enum R { /** B. */ b }`,
    'no-remedy',
  ],
  [
    'a stage without reasons',
    `/** S. */ enum S { /** A. */ a, /** B. */ b } @reasonsOf(S.a) enum R { /** C. */ @remedy("D.") c }`,
    'stage-without-reasons',
  ],
  [
    'a stage whose reasons stand twice',
    `/** S. */ enum S { /** A. */ a }
     @reasonsOf(S.a) enum R { /** C. */ @remedy("D.") c } @reasonsOf(S.a) enum Q { /** C. */ @remedy("D.") c }`,
    'duplicate-stage',
  ],
  [
    'two documents of one name',
    `@service namespace Docs { @document("same") model A {} @document("same") model B {} }`,
    'duplicate-document',
  ],
])('%s is an error', async (_, text, code) => {
  expect((await diagnose(text)).map((one) => one.code)).toEqual([code])
})

/** What the compiler and the emitter say of a small contract. */
async function diagnose(text: string): Promise<{ code: string; message: string; at: string }[]> {
  const entry = join(import.meta.dirname, 'virtual.tsp')
  const source = `import "@typespec/http";\nimport "${EMITTER}";\nusing Contract;\n${text}`
  const readFile: typeof NodeHost.readFile = async (path) =>
    path.endsWith('virtual.tsp') ? createSourceFile(source, path) : NodeHost.readFile(path)
  const stat: typeof NodeHost.stat = async (path) =>
    path.endsWith('virtual.tsp') ? { isFile: () => true, isDirectory: () => false } : NodeHost.stat(path)
  const options = { emit: [EMITTER], options: { [EMITTER]: { 'emitter-output-dir': folder } } }
  const { diagnostics } = await compile({ ...NodeHost, readFile, stat }, entry, options)
  return diagnostics.map(({ code, message, target }) => {
    const node = typeof target === 'object' && 'node' in target ? target.node : undefined
    return {
      code: code.replace(`${EMITTER}/`, ''),
      message,
      at: node ? source.slice(node.pos, node.pos + 10).trim() : '',
    }
  })
}
