import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { expect, test, vi } from 'vitest'
import { type Log, silent } from '../log.ts'
import { headFileOf } from './head.ts'
import { parseLine } from './line.ts'
import { LockedError } from './lock.ts'
import { DamagedJournalError } from './recover.ts'
import { generation, journalFile, linesOf, setLines, writeJournal } from './testing.ts'
import { examineJournal } from './verify.ts'
import { JournalWriter } from './writer.ts'

// Each batch waits for the disk, which may be slow.
vi.setConfig({ testTimeout: 30_000 })

/** Opens a journal whose first line is on the disk. */
async function openWriter(file: string, log: Log = silent): Promise<JournalWriter> {
  const writer = await JournalWriter.open({ file, log })
  await writer.flush()
  return writer
}

/** Another file, as somebody may put in the journal's place. */
function journalFileWith(text: string): string {
  const file = journalFile()
  writeFileSync(file, text)
  return file
}

const kindsOf = (file: string) => linesOf(file).map((line) => parseLine(line)?.kind)

test('a journal goes on where it ended, and only its owner can read it', async () => {
  const file = journalFile()
  await writeJournal(file, [generation(1)])
  await writeJournal(file, [generation(2)])
  expect(kindsOf(file)).toEqual(['genesis', 'generation', 'generation'])
  expect((await examineJournal(file)).faults).toEqual([])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('many lines at once are written in their order, and each is there once it has been flushed', async () => {
  const file = journalFile()
  const writer = await openWriter(file)
  for (let number = 0; number < 2_000; number += 1) writer.append(generation(number))
  await writer.flush()
  expect(linesOf(file)).toHaveLength(2_001)
  expect((await examineJournal(file)).faults).toEqual([])
  await writer.close()
})

test('a line that a crash tore is cut off, and the journal says so', async () => {
  const file = journalFile()
  await writeJournal(file, [generation(1)])
  appendFileSync(file, '{"seq":3,"prev":"sha2')
  await writeJournal(file, [generation(2)])
  expect(kindsOf(file)).toEqual(['genesis', 'generation', 'gap', 'generation'])
  expect(parseLine(linesOf(file)[2]!)).toMatchObject({ lost_lines: 0, torn_bytes: 21 })
  expect((await examineJournal(file)).faults).toEqual([])
})

test('a crash between a line and its head loses neither', async () => {
  const file = journalFile()
  await writeJournal(file, [generation(1)])
  const head = readFileSync(headFileOf(file))
  await writeJournal(file, [generation(2), generation(3)])
  writeFileSync(headFileOf(file), head)
  await writeJournal(file, [])
  expect(await examineJournal(file)).toMatchObject({ faults: [], lines: 4, unconfirmedLines: 0 })
})

test('a crash within the first line begins anew', async () => {
  const file = journalFile()
  writeFileSync(file, '{"seq":1,"pr')
  await writeJournal(file, [generation(1)])
  expect(kindsOf(file)).toEqual(['genesis', 'generation'])
})

test.each<[string, (lines: string[]) => string[]]>([
  ['cut', (lines) => lines.slice(0, 2)],
  ['changed', (lines) => lines.with(-1, lines.at(-1)!.replace('"cost_micros":23', '"cost_micros":22'))],
  ['emptied', () => []],
])('a journal that was %s is not written on', async (_, change) => {
  const file = journalFile()
  await writeJournal(file, [generation(1), generation(2)])
  setLines(file, change(linesOf(file)))
  const left = readFileSync(file)
  await expect(writeJournal(file, [generation(3)])).rejects.toThrow(DamagedJournalError)
  expect(readFileSync(file)).toEqual(left)
})

test('a journal has one writer; a lock that a dead one left is no lock', async () => {
  const file = journalFile()
  const writer = await openWriter(file)
  await expect(JournalWriter.open({ file, log: silent })).rejects.toThrow(LockedError)
  await writer.close()
  // The last has this process's number and not its beginning, as the first process of a container has.
  for (const holder of ['999999999', '', 'nobody', `${process.pid} 1`]) {
    writeFileSync(`${file}.lock`, holder)
    await writeJournal(file, [generation(1)])
  }
  expect((await examineJournal(file)).faults).toEqual([])
})

test.each<[string, (file: string) => void]>([
  ['that somebody else writes in spite of the lock', (file) => appendFileSync(file, 'theirs\n')],
  ['that was moved away', (file) => renameSync(file, `${file}.old`)],
  ['that was replaced', (file) => renameSync(journalFileWith('theirs\n'), file)],
])('a file %s is written no more, which is said once', async (_, change) => {
  const file = journalFile()
  const errors = vi.fn()
  const writer = await openWriter(file, { ...silent, error: errors })
  change(file)
  for (const number of [1, 2]) {
    writer.append(generation(number))
    await writer.flush()
  }
  await writer.close()
  expect(errors).toHaveBeenCalledOnce()
  expect(JSON.parse(readFileSync(headFileOf(file), 'utf8'))).toMatchObject({ count: 1 })
})

test('a disk that takes nothing stops nobody; what waited is written when it does again', async () => {
  const file = journalFile()
  const errors = vi.fn()
  const writer = await openWriter(file, { ...silent, error: errors })
  const inTheWay = `${headFileOf(file)}.${process.pid}`
  mkdirSync(inTheWay)
  writer.append(generation(1))
  await vi.waitFor(() => expect(errors).toHaveBeenCalledOnce(), { timeout: 10_000 })
  writer.append(generation(2))
  rmdirSync(inTheWay)
  await writer.flush()
  await writer.close()
  expect(await examineJournal(file)).toMatchObject({ faults: [], lines: 3, unconfirmedLines: 0 })
})

test('lines that were lost are told at the latest when the proxy stops', async () => {
  const file = journalFile()
  const writer = await openWriter(file)
  for (let number = 0; number < 10_001; number += 1) writer.append(generation(number))
  await writer.close()
  expect(parseLine(linesOf(file).at(-1)!)).toMatchObject({ kind: 'gap', lost_lines: 1 })
})

test('what more comes than can wait is counted, and the journal says how much', async () => {
  const file = journalFile()
  const writer = await openWriter(file)
  for (let number = 0; number < 10_003; number += 1) writer.append(generation(number))
  await writer.flush()
  writer.append(generation(1))
  await writer.close()
  expect(linesOf(file)).toHaveLength(10_003)
  expect(parseLine(linesOf(file).at(-2)!)).toMatchObject({ kind: 'gap', lost_lines: 3 })
  expect((await examineJournal(file)).faults).toEqual([])
})
