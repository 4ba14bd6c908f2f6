import { appendFileSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { digestOf } from '#attestation'
import { headFileOf } from './head.ts'
import { parseLine, writeLine } from './line.ts'
import { generation, journalFile, lastHash, linesOf, setLines, writeJournal } from './testing.ts'
import { examineJournal } from './verify.ts'

async function writtenJournal(count = 5): Promise<string> {
  const file = journalFile()
  await writeJournal(
    file,
    Array.from({ length: count }, (_, index) => generation(index)),
  )
  return file
}

test('a journal holds: every line carries the hash of the one before, and the head names the last', async () => {
  const file = await writtenJournal()
  const { faults, lines, head, kinds, unconfirmedLines, tornBytes } = await examineJournal(file)
  expect(faults).toEqual([])
  expect({ lines, unconfirmedLines, tornBytes }).toEqual({ lines: 6, unconfirmedLines: 0, tornBytes: 0 })
  expect(head).toEqual({ seq: 6, hash: lastHash(file) })
  expect(kinds).toEqual({ genesis: 1, generation: 5 })
  expect(parseLine(linesOf(file)[0]!)).toMatchObject({
    seq: 1,
    prev: null,
    format: 'proxy-journal',
    version: 1,
  })
  for (const [index, line] of linesOf(file).entries()) {
    expect(parseLine(line)?.prev).toBe(index === 0 ? null : digestOf(linesOf(file)[index - 1]!))
  }
})

test.each<[string, (lines: string[]) => string[], number, string]>([
  [
    'an edited line',
    (all) => all.with(2, all[2]!.replace('"cost_micros":23', '"cost_micros":22')),
    3,
    'changed',
  ],
  [
    'an edited last line',
    (all) => all.with(5, all[5]!.replace('"cost_micros":23', '"cost_micros":22')),
    6,
    'changed',
  ],
  ['an edited first line', (all) => all.with(0, all[0]!.replace(/"time":"\d/, '"time":"1')), 1, 'changed'],
  ['a removed line', (all) => all.toSpliced(3, 1), 4, 'removed'],
  ['a removed first line', (all) => all.slice(1), 1, 'removed'],
  ['two lines in each other’s place', (all) => all.with(2, all[3]!).with(3, all[2]!), 3, 'removed'],
  ['a line that stands twice', (all) => all.toSpliced(3, 0, all[2]!), 3, 'out_of_order'],
  ['a line of another form', (all) => all.with(2, '{"kind":"generation"}'), 3, 'malformed'],
  [
    'a line with a member too many',
    (all) => all.with(2, all[2]!.replace('{', '{"prompt":"x",')),
    3,
    'malformed',
  ],
  ['a line that is too long', (all) => all.with(2, 'x'.repeat(20_000)), 3, 'malformed'],
  ['a missing end', (all) => all.slice(0, 4), 5, 'truncated'],
  ['nothing left', () => [], 1, 'truncated'],
])('%s is told by its number', async (_, change, line, fault) => {
  const file = await writtenJournal()
  setLines(file, change(linesOf(file)))
  const { faults } = await examineJournal(file)
  expect(faults[0]).toMatchObject({ line, fault })
})

test('a line that was changed is not among those that hold, nor is what comes behind it', async () => {
  const file = await writtenJournal()
  setLines(file, linesOf(file).with(2, linesOf(file)[2]!.replace('"cost_micros":23', '"cost_micros":22')))
  const told: number[] = []
  const { lines, head, kinds } = await examineJournal(file, { onLine: ({ seq }) => told.push(seq) })
  expect({ lines, kinds }).toEqual({ lines: 2, kinds: { genesis: 1, generation: 1 } })
  expect(head).toEqual({ seq: 2, hash: digestOf(linesOf(file)[1]!) })
  expect(told).toEqual([1, 2])
})

test('a line that was changed together with the link to it gives itself away at the next', async () => {
  const file = await writtenJournal()
  const lines = linesOf(file)
  const forged = writeLine(generation(9), new Date(), { seq: 3, hash: digestOf(lines[2]!) }).text
  setLines(file, lines.with(3, forged))
  expect((await examineJournal(file)).faults[0]).toMatchObject({ line: 4, fault: 'changed' })
})

test('a journal that was cut together with its head is found out by a head that was noted elsewhere', async () => {
  const file = await writtenJournal()
  const noted = lastHash(file)
  const other = await writtenJournal(2)
  copyFileSync(other, file)
  copyFileSync(headFileOf(other), headFileOf(file))
  expect((await examineJournal(file)).faults).toEqual([])
  expect((await examineJournal(file, { head: noted })).faults).toEqual([
    expect.objectContaining({ line: null, fault: 'head_not_found' }),
  ])
})

test('a head that was noted is found in a journal that has grown since', async () => {
  const file = await writtenJournal()
  const noted = lastHash(file)
  await writeJournal(file, [generation(7)])
  expect((await examineJournal(file, { head: noted })).faults).toEqual([])
})

test('a journal without its head, or with one that cannot be read, does not hold', async () => {
  const file = await writtenJournal()
  writeFileSync(headFileOf(file), '{')
  expect((await examineJournal(file)).faults).toEqual([expect.objectContaining({ fault: 'no_head' })])
  rmSync(headFileOf(file))
  expect((await examineJournal(file)).faults).toEqual([expect.objectContaining({ fault: 'no_head' })])
})

test('what a crash leaves is told apart from tampering: a torn line, and lines that the head does not name yet', async () => {
  const file = await writtenJournal()
  const head = readFileSync(headFileOf(file))
  await writeJournal(file, [generation(7), generation(8)])
  writeFileSync(headFileOf(file), head)
  appendFileSync(file, '{"seq":9,"prev"')
  expect(await examineJournal(file)).toMatchObject({
    faults: [],
    lines: 8,
    unconfirmedLines: 2,
    tornBytes: 15,
  })
})
