import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '#base/object.ts'
import type { Target } from '#egress/connection/target.ts'

/** An endpoint as it is known: two may share a hostname, and each signs in its own time. */
export interface KnownEndpoint {
  readonly name: string
  readonly target: Pick<Target, 'hostname' | 'host' | 'port'>
}

/** Remembers the newest time of signing that was accepted of each endpoint; it outlives restarts (VERD-11). */
export interface Newest {
  of(endpoint: KnownEndpoint): Date | undefined
  keep(endpoint: KnownEndpoint, issuedAt: Date): void
}

const FILE = 'newest.json'

/** Nobody else's concern, as the journal beside it. */
const MODE = 0o600

/**
 * Opens the memory in a folder. Throws when there is one that cannot be read: going on without it would let an old
 * bundle be played back.
 */
export function openNewest(folder: string): Newest {
  const file = join(folder, FILE)
  let known = read(file)
  let isWritten = true
  // One of an earlier version may be readable by everybody.
  if (known.size > 0) chmodSync(file, MODE)
  return {
    of: (endpoint) => timeOf(known, endpoint),
    keep(endpoint, issuedAt) {
      if (isWritten && issuedAt <= (known.get(keyOf(endpoint)) ?? new Date(0))) return
      isWritten = false
      // At once: what a disk does not take is remembered all the same while the program runs.
      known = merge(known, [[keyOf(endpoint), issuedAt]])
      // Another proxy may share the folder; what either has accepted stays.
      known = merge(read(file), known)
      mkdirSync(folder, { recursive: true })
      write(file, known)
      isWritten = true
    },
  }
}

type Times = ReadonlyMap<string, Date>

/** No hostname is written like this: earlier versions remembered by those. */
function keyOf({ name, target: { host, port, hostname } }: KnownEndpoint): string {
  return JSON.stringify([name, `${host}:${port}`, hostname])
}

/**
 * What an earlier version accepted for a hostname was accepted of some endpoint with it: until this one has a time of its
 * own nothing older is accepted of it.
 */
function timeOf(known: Times, endpoint: KnownEndpoint): Date | undefined {
  return known.get(keyOf(endpoint)) ?? known.get(endpoint.target.hostname)
}

function write(file: string, known: Times): void {
  const scratch = `${file}.${process.pid}`
  const entries = [...known].map(([name, time]) => [name, time.toISOString()])
  // A mode is given to new files alone: what a dead process of this number has left must not lend its own.
  rmSync(scratch, { force: true })
  writeFileSync(scratch, `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`, { mode: MODE })
  chmodSync(scratch, MODE)
  renameSync(scratch, file)
}

function merge(times: Times, others: Iterable<readonly [string, Date]>): Times {
  const merged = new Map(times)
  for (const [key, time] of others) {
    if (time > (merged.get(key) ?? new Date(0))) merged.set(key, time)
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
    const times: unknown = JSON.parse(text)
    if (!isObject(times)) throw new TypeError('not an object')
    return new Map(Object.entries(times).map(([key, time]) => [key, parseTime(time)]))
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
