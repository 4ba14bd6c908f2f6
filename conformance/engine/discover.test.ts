import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { discover } from './discover.ts'

const usual = "{ rules: ['MODL-05'], title: 'Something holds', run: async () => {} }"
const asData = "{ rules: ['MODL-05'], title: 'Something holds', steps: [{ operation: 'listModels' }] }"

/** A folder of topics, each file with what it exports by default. */
function topics(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'topics-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [file, exported] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), `export default ${exported}\n`)
  }
  return folder
}

test('a scenario’s id is its topic and its name, wherever in the topic it stands, and ids are in order', async () => {
  const found = await discover(
    topics({
      'b/late.ts': `{ one: ${usual}, 'a-second': ${asData} }`,
      'b/early.ts': `{ three: ${usual} }`,
      'a.ts': `{ first: ${usual} }`,
    }),
  )
  expect(found.map(({ file, scenario }) => [scenario.id, file])).toEqual([
    ['a/first', 'a.ts'],
    ['b/a-second', 'b/late.ts'],
    ['b/one', 'b/late.ts'],
    ['b/three', 'b/early.ts'],
  ])
})

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  [
    'an id that stands twice',
    { 'a/x.ts': `{ one: ${usual} }`, 'a/y.ts': `{ one: ${usual} }` },
    /a\/one stands twice, in a\/x.ts and a\/y.ts/,
  ],
  ['a file that exports nothing', { 'a.ts': 'undefined' }, /a.ts exports no scenarios/],
  [
    'data that asks for nothing',
    { 'a.ts': `{ one: { rules: ['MODL-05'], title: 'Something holds', steps: [{}] } }` },
    /a\/one: step 1 has neither operation nor path/,
  ],
  ['a name that is no part of a path', { 'a.ts': `{ 'One Two': ${usual} }` }, /a\/One Two: the id must be/],
])('%s is refused', async (_, files, problem) => {
  await expect(discover(topics(files))).rejects.toThrow(problem)
})
