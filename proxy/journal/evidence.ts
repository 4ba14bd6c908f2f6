import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Digest, digestOf } from '#attestation'
import { limits } from '#contract/limits'

/** Keeps public evidence by its digest, for as long as somebody may want to see what a verdict rested on. */
export interface EvidenceStore {
  /** Keeps some bytes and gives their digest. */
  keep(bytes: Uint8Array): Digest
  /** The bytes with this digest; undefined when they are not kept, or are no longer what they were. */
  find(digest: Digest): Buffer | undefined
  /** Digests of all that is kept, the newest first. */
  list(): readonly Digest[]
}

/** How long a bundle is kept after a generation last went under it, and how much all may take together (ours). */
const KEEP_MS = 90 * 24 * 3_600_000
const MAX_TOTAL_BYTES = 256 * 1024 * 1024

/** How often the folder is tidied: a bundle is kept every few minutes at the most (ours). */
const TIDY_EVERY = 50

const FILE = /^([A-Za-z0-9_-]{43})\.json$/

/** Opens the store in a folder, which is made with the first document. */
export function openEvidence(folder: string, now: () => number = Date.now): EvidenceStore {
  let kept = 0
  const fileOf = (digest: Digest) => join(folder, `${digest.slice('sha256/'.length)}.json`)
  return {
    keep(bytes) {
      const digest = digestOf(bytes)
      const file = fileOf(digest)
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (kept++ % TIDY_EVERY === 0) tidy(folder, now())
      if (touch(file, bytes.byteLength, now())) return digest
      const scratch = `${file}.${process.pid}`
      writeFileSync(scratch, bytes, { mode: 0o600, flush: true })
      renameSync(scratch, file)
      return digest
    },
    find(digest) {
      const bytes = read(fileOf(digest))
      return bytes !== undefined && digestOf(bytes) === digest ? bytes : undefined
    },
    list() {
      return entriesOf(folder).map(({ name }) => `sha256/${FILE.exec(name)![1]}` as Digest)
    },
  }
}

function read(file: string): Buffer | undefined {
  try {
    return statSync(file).size > limits.maxBundleBytes ? undefined : readFileSync(file)
  } catch {
    return undefined
  }
}

/** Whether the file is there already; then it counts as kept anew. */
function touch(file: string, size: number, nowMs: number): boolean {
  try {
    if (statSync(file).size !== size) return false
    utimesSync(file, nowMs / 1_000, nowMs / 1_000)
    return true
  } catch {
    return false
  }
}

function tidy(folder: string, nowMs: number): void {
  let total = 0
  for (const { name, size, mtimeMs } of entriesOf(folder)) {
    total += size
    if (total > MAX_TOTAL_BYTES || mtimeMs < nowMs - KEEP_MS) rmSync(join(folder, name), { force: true })
  }
}

interface StoredFile {
  readonly name: string
  readonly size: number
  readonly mtimeMs: number
}

function entriesOf(folder: string): StoredFile[] {
  return names(folder)
    .flatMap((name) => {
      try {
        const { size, mtimeMs } = statSync(join(folder, name))
        return [{ name, size, mtimeMs }]
      } catch {
        return []
      }
    })
    .sort((one, other) => other.mtimeMs - one.mtimeMs)
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => FILE.test(name))
  } catch {
    return []
  }
}
