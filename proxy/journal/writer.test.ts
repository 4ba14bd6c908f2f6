import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Log, silent } from '../log.ts'
import { headFileOf } from './head.ts'
import { parseLine } from './line.ts'
import { LockedError } from './lock.ts'
import { JournalPart } from './part.ts'
import { DamagedJournalError } from './recover.ts'
import {
  generation,
  generationId,
  journalFile,
  lastHash,
  linesOf,
  setLines,
  writeJournal,
} from './testing.ts'
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

test('lines that come soon behind a write leave together, and a writer that is closed waits for no more', async () => {
  const file = journalFile()
  const writer = await JournalWriter.open({ file, log: silent, gatherMs: 1_000_000 })
  await writer.flush()
  const write = vi.spyOn(JournalPart.prototype, 'write')
  onTestFinished(() => write.mockRestore())
  for (const number of [1, 2]) {
    writer.append(generation(number))
    await nextTurn()
  }
  expect(write).not.toHaveBeenCalled()
  await writer.close()
  expect(write).toHaveBeenCalledOnce()
  expect(kindsOf(file)).toEqual(['genesis', 'generation', 'generation'])
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

test.each<[string, string, (file: string) => void]>([
  [
    'that somebody else writes in spite of the lock',
    'foreign_write',
    (file) => appendFileSync(file, 'theirs\n'),
  ],
  ['that was cut', 'foreign_write', (file) => truncateSync(file, 10)],
  ['that was moved away', 'moved', (file) => renameSync(file, `${file}.old`)],
  ['that was replaced', 'moved', (file) => renameSync(journalFileWith('theirs\n'), file)],
  ['whose folder is gone', 'moved', (file) => renameSync(dirname(file), `${dirname(file)}.old`)],
])('of a file %s the journal goes on in a new one, and says so once', async (_, reason, change) => {
  const file = journalFile()
  const errors = vi.fn()
  const writer = await openWriter(file, { ...silent, error: errors })
  expect(writer.state).toMatchObject({ file, continues: undefined })
  const before = lastHash(file)
  change(file)
  for (const number of [1, 2]) {
    writer.append(generation(number))
    await writer.flush()
  }
  const next = `${file}.part2`
  expect(writer.state).toMatchObject({
    file: next,
    isFailing: false,
    continues: { file, line: 1, hash: before, reason },
    waitingLines: 0,
    lostLines: 0,
  })
  await writer.close()
  expect(errors).toHaveBeenCalledOnce()
  expect(errors.mock.calls[0]![1]).toMatchObject({ file: next })
  const written = linesOf(next).map((line) => parseLine(line))
  expect(written).toMatchObject([
    { kind: 'continuation', seq: 2, prev: before, from: 'journal.jsonl', reason },
    { kind: 'generation', seq: 3, id: generationId(1) },
    { kind: 'generation', seq: 4, id: generationId(2) },
  ])
  expect(statSync(next).mode & 0o777).toBe(0o600)
})

test('lines that waited when somebody else wrote are in the new file, in their order and at their time', async () => {
  const file = journalFile()
  let minute = 0
  const writer = await JournalWriter.open({ file, log: silent, now: () => new Date(minute++ * 60_000) })
  await writer.flush()
  appendFileSync(file, 'theirs\n')
  for (let number = 0; number < 500; number += 1) writer.append(generation(number))
  await writer.close()
  const [continuation, ...rest] = linesOf(`${file}.part2`).map((line) => parseLine(line)!)
  expect(continuation).toMatchObject({ kind: 'continuation', seq: 2 })
  expect(rest.map((line) => line.kind === 'generation' && line.id)).toEqual(
    Array.from({ length: 500 }, (_, number) => generationId(number)),
  )
  expect(rest.map(({ time }) => Date.parse(time) / 60_000)).toEqual(
    Array.from({ length: 500 }, (_, at) => at + 1),
  )
})

test('a proxy that is started anew goes on in the newest file, and in one after it when that one is changed', async () => {
  const file = journalFile()
  const writer = await openWriter(file)
  appendFileSync(file, 'theirs\n')
  writer.append(generation(1))
  await writer.close()
  await writeJournal(file, [generation(2)])
  expect(kindsOf(`${file}.part2`)).toEqual(['continuation', 'generation', 'generation'])

  const again = await openWriter(file)
  expect(again.state).toMatchObject({
    file: `${file}.part2`,
    continues: { file, line: 1, reason: 'foreign_write' },
  })
  appendFileSync(`${file}.part2`, 'theirs\n')
  again.append(generation(3))
  await again.close()
  expect(parseLine(linesOf(`${file}.part3`)[0]!)).toMatchObject({ from: 'journal.jsonl.part2', seq: 5 })
  expect(await examineJournal(file)).toMatchObject({
    lines: 6,
    kinds: { genesis: 1, continuation: 2, generation: 3 },
  })
})

test('while no new file can be begun lines wait, and nothing is lost', async () => {
  const file = journalFile()
  const errors = vi.fn()
  const writer = await openWriter(file, { ...silent, error: errors })
  const inTheWay = `${headFileOf(`${file}.part2`)}.${process.pid}`
  mkdirSync(inTheWay)
  appendFileSync(file, 'theirs\n')
  writer.append(generation(1))
  await vi.waitFor(() => expect(writer.state.isFailing).toBe(true), { timeout: 10_000 })
  expect(existsSync(`${file}.part2`)).toBe(false)
  rmdirSync(inTheWay)
  await writer.flush()
  expect(writer.state).toMatchObject({ isFailing: false, file: `${file}.part2` })
  await writer.close()
  expect(kindsOf(`${file}.part2`)).toEqual(['continuation', 'generation'])
})

test('a file of the new one’s name is nobody’s to write over', async () => {
  const file = journalFile()
  const writer = await openWriter(file)
  writeFileSync(`${file}.part2`, 'mine')
  appendFileSync(file, 'theirs\n')
  writer.append(generation(1))
  await writer.close()
  expect(readFileSync(`${file}.part2`, 'utf8')).toBe('mine')
  expect(kindsOf(`${file}.part3`)).toEqual(['continuation', 'generation'])
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

test('lines that the disk has not taken when the proxy stops are counted in its log (D9/6)', async () => {
  const file = journalFile()
  const errors = vi.fn()
  const writer = await openWriter(file, { ...silent, error: errors })
  mkdirSync(`${headFileOf(file)}.${process.pid}`)
  for (let number = 0; number < 10_002; number += 1) writer.append(generation(number))
  await writer.close()
  expect(errors).toHaveBeenLastCalledWith(
    'the proxy stops, and lines that its journal could not take may be lost',
    {
      lines: 10_002,
      error: expect.objectContaining({ code: 'EISDIR' }),
    },
  )
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
