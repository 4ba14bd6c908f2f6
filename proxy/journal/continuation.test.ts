import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { expect, test, vi } from 'vitest'
import { silent } from '../log.ts'
import { headFileOf } from './head.ts'
import { writeLine } from './line.ts'
import {
  generation,
  generationId,
  journalFile,
  lastHash,
  linesOf,
  setLines,
  writeJournal,
} from './testing.ts'
import { type Examination, examineJournal, findDamage } from './verify.ts'
import { JournalWriter } from './writer.ts'

// Each batch waits for the disk, which may be slow.
vi.setConfig({ testTimeout: 30_000 })

/** A journal of five lines that goes on in a second file of three, after something was done to the first. */
async function brokenOff(change: (file: string) => void): Promise<string> {
  const file = journalFile()
  await writeJournal(
    file,
    [1, 2, 3].map((number) => generation(number)),
  )
  const writer = await JournalWriter.open({ file, log: silent })
  writer.append(generation(4))
  await writer.flush()
  change(file)
  for (const number of [5, 6]) writer.append(generation(number))
  await writer.close()
  return file
}

const told = ({ faults }: Examination) => faults.map(({ file, line, fault }) => [file, line, fault])
const ids = async (file: string) => {
  const seen: string[] = []
  const examined = await examineJournal(file, {
    onLine: (line) => void (line.kind === 'generation' && seen.push(line.id)),
  })
  return { examined, seen }
}

test('what somebody else put behind the last line is told, and changes nothing about the proxy’s own', async () => {
  for (const theirs of ['theirs\n', 'torn', '\n\n']) {
    const file = await brokenOff((each) => appendFileSync(each, theirs))
    const { examined, seen } = await ids(file)
    expect(told(examined)).toEqual([[file, 6, 'foreign']])
    expect(examined.lines).toBe(8)
    expect(examined.parts.map(({ faults }) => faults.length)).toEqual([1, 0])
    expect(findDamage(examined)).toBeUndefined()
    expect(seen).toEqual([1, 2, 3, 4, 5, 6].map(generationId))
  }
})

test('lines that another proxy chained on are not the proxy’s own, though they fit', async () => {
  const file = await brokenOff((each) => {
    const { text } = writeLine(generation(9), new Date(), { seq: 5, hash: lastHash(each) })
    appendFileSync(each, `${text}\n`)
  })
  const { examined, seen } = await ids(file)
  expect(told(examined)).toEqual([[file, 6, 'foreign']])
  expect(seen).not.toContain(generationId(9))
})

test('a file that was put back as it was is whole, and so is the journal', async () => {
  const file = await brokenOff((each) => renameSync(each, `${each}.old`))
  expect(told(await examineJournal(file))).toEqual([[file, null, 'missing']])
  renameSync(`${file}.old`, file)
  const examined = await examineJournal(file)
  expect(told(examined)).toEqual([])
  expect(examined).toMatchObject({ lines: 8, head: { seq: 8, hash: lastHash(`${file}.part2`) } })
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
    (all) => all.with(4, all[4]!.replace('"cost_micros":23', '"cost_micros":22')),
    5,
    'changed',
  ],
  ['a missing end', (all) => all.slice(0, 3), 4, 'truncated'],
  ['a line of another form', (all) => all.with(1, '{}'), 2, 'malformed'],
])(
  '%s of the first file is told by its number and file, and the second is whole',
  async (_, change, line, fault) => {
    const file = await brokenOff((each) => appendFileSync(each, 'theirs\n'))
    setLines(file, change(linesOf(file).slice(0, 5)))
    const examined = await examineJournal(file)
    expect(told(examined)[0]).toEqual([file, line, fault])
    expect(examined.parts.map(({ faults }) => faults.length > 0)).toEqual([true, false])
    expect(findDamage(examined)).toMatchObject({ fault })
  },
)

test('a first file that was rewritten together with its head does not fit the line that goes on from it', async () => {
  const file = await brokenOff((each) => appendFileSync(each, 'theirs\n'))
  const other = journalFile()
  await writeJournal(
    other,
    [9, 8, 7, 6].map((number) => generation(number)),
  )
  copyFileSync(other, file)
  copyFileSync(headFileOf(other), headFileOf(file))
  expect(told(await examineJournal(file))).toEqual([[file, 5, 'changed']])
})

test('what is wrong with the second file is told of that one', async () => {
  const file = await brokenOff((each) => appendFileSync(each, 'theirs\n'))
  const second = `${file}.part2`
  setLines(
    second,
    linesOf(second).with(1, linesOf(second)[1]!.replace('"cost_micros":23', '"cost_micros":22')),
  )
  expect(told(await examineJournal(file))).toContainEqual([second, 7, 'changed'])
})

test('a second file that no longer says what it goes on from gives itself away', async () => {
  const file = await brokenOff((each) => appendFileSync(each, 'theirs\n'))
  const second = `${file}.part2`
  setLines(second, linesOf(second).slice(1))
  expect((await examineJournal(file)).faults.some((fault) => fault.file === second)).toBe(true)
})

test('any file of a journal leads to all of it, and a head that was noted is found in any', async () => {
  const file = await brokenOff((each) => appendFileSync(each, 'theirs\n'))
  const noted = lastHash(`${file}.part2`)
  const examined = await examineJournal(`${file}.part2`, { head: noted })
  expect(examined).toMatchObject({ file, lines: 8 })
  expect(told(examined)).toEqual([[file, 6, 'foreign']])
  rmSync(`${file}.part2`)
  const cut = await examineJournal(file, { head: noted })
  expect(told(cut)).toContainEqual([file, null, 'head_not_found'])
})

test('a journal whose first lines were never written goes on from nothing', async () => {
  const file = journalFile()
  const inTheWay = `${headFileOf(file)}.${process.pid}`
  mkdirSync(inTheWay)
  const writer = await JournalWriter.open({ file, log: silent })
  writer.append(generation(1))
  await vi.waitFor(() => expect(writer.state.isFailing).toBe(true), { timeout: 10_000 })
  const theirs = 'x'.repeat(10_000)
  writeFileSync(file, theirs)
  rmdirSync(inTheWay)
  await writer.flush()
  await writer.close()
  expect(linesOf(`${file}.part2`).map((line) => JSON.parse(line))).toMatchObject([
    { kind: 'continuation', seq: 1, prev: null },
    { kind: 'generation', seq: 2 },
  ])
  expect(readFileSync(file, 'utf8')).toBe(theirs)
  expect(told(await examineJournal(file))).toEqual([[file, 1, 'foreign']])
})
