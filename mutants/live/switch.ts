import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isSame } from './plain.ts'

/** Tells every program of a deployment which fault is live. */
export interface Switch {
  readonly folder: string
  /** Has one be live, or none; resolves when every program has heard of it. */
  turn(id: string | undefined): Promise<void>
  /** Has none be live, and gives the faults whose switches any program asks for while `act` runs. */
  watch<T>(act: () => Promise<T>): Promise<Watched<T>>
  remove(): void
}

/** What came of an act, and what it has reached. */
export interface Watched<T> {
  readonly result: T
  readonly reached: ReadonlySet<string>
}

/** What stands before a number in the file while it is watched who asks. */
export const WATCHING = '?'

/** How long a program goes by what it read last (ours). */
const FRESH_MS = 2

/** How long it is waited for all to have heard (ours). */
const HEARD_MS = 10

/** The file below a switch's folder. */
export function fileOf(folder: string): string {
  return join(folder, 'live')
}

/** The folder in which programs write down what they asked for, while they are watched. */
export function reachedIn(folder: string): string {
  return join(folder, 'reached')
}

/** Makes a switch that is off. A database in an account of its own can read it, too. */
export function createSwitch(): Switch {
  const folder = mkdtempSync(join(tmpdir(), 'planted-'))
  chmodSync(folder, 0o755)
  const file = fileOf(folder)
  writeFileSync(file, '')
  mkdirSync(reachedIn(folder))
  chmodSync(reachedIn(folder), 0o777)
  const turn = async (text = '') => {
    // Nobody reads half of it.
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
    await sleep(HEARD_MS)
  }
  let watches = 0
  return {
    folder,
    turn,
    async watch(act) {
      const number = ++watches
      await turn(`${WATCHING}${number}`)
      const result = await act().finally(turn)
      return { result, reached: new Set(readReached(folder, number)) }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Programs append to one file; the database, which cannot, makes one for each fault. */
function readReached(folder: string, number: number): readonly string[] {
  return readdirSync(reachedIn(folder)).flatMap((name) => {
    const [of, fault] = name.split('.')
    if (of !== String(number)) return []
    return fault === undefined
      ? readFileSync(join(reachedIn(folder), name), 'utf8')
          .trim()
          .split('\n')
      : [fault]
  })
}

/** The switch as a program asks for it. */
export interface Look {
  /** Whether a fault is live. While it is watched who asks, that it was asked for is written down. */
  is(id: string): boolean
  /** The usual value, or the other one while the fault is live. What is written down is that the two were not the same. */
  either<T>(id: string, usual: () => T, other: () => T): T
}

/** Looks the switch up, as often as its file is asked for and no more often than it has to be. */
export function createLook(folder: string): Look {
  const file = fileOf(folder)
  let live = readFileSync(file, 'utf8')
  const told = new Set<string>()
  let readAt = process.hrtime.bigint()
  const look = () => {
    const now = process.hrtime.bigint()
    if (now - readAt < BigInt(FRESH_MS) * 1_000_000n) return
    live = readFileSync(file, 'utf8')
    readAt = now
  }
  const isToTell = (id: string) => live.startsWith(WATCHING) && !told.has(`${live} ${id}`)
  const tell = (id: string) => {
    told.add(`${live} ${id}`)
    appendFileSync(join(reachedIn(folder), live.slice(WATCHING.length)), `${id}\n`)
  }
  return {
    is(id) {
      look()
      if (isToTell(id)) tell(id)
      return live === id
    },
    either(id, usual, other) {
      look()
      if (live === id) return other()
      const value = usual()
      if (isToTell(id) && differs(value, other)) tell(id)
      return value
    },
  }
}

/** Whoever throws gives nothing that is the same. */
function differs(value: unknown, other: () => unknown): boolean {
  try {
    return !isSame(value, other())
  } catch {
    return true
  }
}
