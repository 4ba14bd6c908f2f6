import { writeSync, write as writeToFile } from 'node:fs'

/** How long a full pipe is left alone before it is tried again, and how often when the process ends (ours). */
const FULL_MS = 10
const LAST_TRIES = 100

/** What comes within so long of a write leaves with the next one, unless it is half of what a pipe holds (ours). */
const GATHER_MS = 100
const GATHER_LENGTH = 32_768

/** How long a disk that takes nothing is left alone (ours). */
const REFUSED_MS = 1_000

/** How many characters wait for a reader that is too slow; what comes then is lost (ours). */
const MAX_WAITING = 16_777_216

/** A reader or a terminal that has gone: it never comes back, and to try on would keep the process from ever ending. */
const GONE = new Set(['EIO', 'EPIPE'])

/**
 * Writes lines to a descriptor in the background: what comes within a tenth of a second of a write leaves with the next
 * one, since a write of its own takes longer than all else of a line.
 * What is left when the process ends is written then. Lines are lost where the reader is too slow or the disk is full,
 * since neither may end the service or fill its memory; `tellOfLost` makes the line that says how many so far, as soon
 * as one can be written. `write` is another one for tests.
 */
export function writeInBackground(
  fd: number,
  tellOfLost: (lines: number) => string,
  write: typeof writeToFile = writeToFile,
): (line: string) => void {
  let waiting: string[] = []
  let waitingLength = 0
  /** What is being written, and how many lines of others' it has. */
  let leaving: Buffer = Buffer.alloc(0)
  let leavingLines = 0
  let lost = 0
  let isLossTold = true
  let isWriting = false
  let gathering: NodeJS.Timeout | undefined
  /** The system has been asked to write what is leaving, and has not answered. */
  let isAsked = false
  let isGone = false

  function lose(lines: number): void {
    lost += lines
    isLossTold = false
  }

  function writeOn(): void {
    isAsked = true
    write(fd, leaving, (error, written) => {
      isAsked = false
      if (error === null) {
        leaving = leaving.subarray(written)
        if (leaving.length > 0) writeOn()
        else gather()
      } else if (error.code === 'EAGAIN') setTimeout(writeOn, FULL_MS).unref()
      else if (GONE.has(error.code ?? '')) isGone = true
      else {
        lose(leavingLines)
        leaving = Buffer.alloc(0)
        setTimeout(writeNext, REFUSED_MS).unref()
      }
    })
  }

  function gather(): void {
    if (waitingLength >= GATHER_LENGTH) writeNext()
    else gathering = setTimeout(writeNext, GATHER_MS).unref()
  }

  function writeNext(): void {
    clearTimeout(gathering)
    gathering = undefined
    isWriting = waiting.length > 0
    if (!isWriting) return void process.off('exit', writeLast)
    takeWaiting()
    writeOn()
  }

  function takeWaiting(): void {
    leavingLines = waiting.length
    leaving = Buffer.from((isLossTold ? '' : tellOfLost(lost)) + waiting.join(''))
    isLossTold = true
    waiting = []
    waitingLength = 0
  }

  function writeLast(): void {
    if (isGone) return
    // What the system was asked for, it does.
    if (isAsked) leaving = Buffer.alloc(0)
    for (let tries = 0; tries < LAST_TRIES; ) {
      if (leaving.length === 0) {
        if (waiting.length === 0) return
        takeWaiting()
      }
      try {
        leaving = leaving.subarray(writeSync(fd, leaving))
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return
        tries++
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_MS)
      }
    }
  }

  return (line) => {
    if (isGone) return
    if (waitingLength + line.length > MAX_WAITING) return lose(1)
    waiting.push(line)
    waitingLength += line.length
    if (gathering !== undefined && waitingLength >= GATHER_LENGTH) return writeNext()
    if (isWriting) return
    process.on('exit', writeLast)
    writeNext()
  }
}
