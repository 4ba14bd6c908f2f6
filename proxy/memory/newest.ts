import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Remembers the newest time of signing that was accepted of each endpoint; it outlives restarts (decisions, 8). */
export interface Newest {
  of(hostname: string): Date | undefined
  keep(hostname: string, issuedAt: Date): void
}

const FILE = 'newest.json'

/**
 * Opens the memory in a folder. Throws when there is one that cannot be read: going on without it would let an old
 * bundle be played back.
 */
export function openNewest(folder: string): Newest {
  const file = join(folder, FILE)
  let known = read(file)
  return {
    of: (hostname) => known.get(hostname),
    keep(hostname, issuedAt) {
      if (issuedAt <= (known.get(hostname) ?? new Date(0))) return
      // Another proxy may share the folder; what either has accepted stays.
      known = merge(read(file), merge(known, [[hostname, issuedAt]]))
      mkdirSync(folder, { recursive: true })
      const scratch = `${file}.${process.pid}`
      const entries = [...known].map(([name, time]) => [name, time.toISOString()])
      writeFileSync(scratch, `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`)
      renameSync(scratch, file)
    },
  }
}

type Times = ReadonlyMap<string, Date>

function merge(times: Times, others: Iterable<readonly [string, Date]>): Times {
  const merged = new Map(times)
  for (const [hostname, time] of others) {
    if (time > (merged.get(hostname) ?? new Date(0))) merged.set(hostname, time)
  }
  return merged
}

function read(file: string): Times {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    throw error
  }
  return parse(text, file)
}

function parse(text: string, file: string): Times {
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, string>)
    return new Map(entries.map(([hostname, time]) => [hostname, parseTime(time)]))
  } catch (cause) {
    throw new Error(
      `${file} is damaged. Without it an old bundle could be played back; remove it to go on.`,
      {
        cause,
      },
    )
  }
}

function parseTime(text: unknown): Date {
  const time = new Date(typeof text === 'string' ? text : Number.NaN)
  if (Number.isNaN(time.getTime())) throw new TypeError('not a time')
  return time
}
