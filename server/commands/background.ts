import { write, writeSync } from 'node:fs'

/** How long a full pipe is left alone before it is tried again, and how often when the process ends (ours). */
const FULL_MS = 10
const LAST_TRIES = 100

/**
 * Writes text to a descriptor in the background: what comes while some is being written leaves with the next write. What
 * is left when the process ends is written then. A terminal or a reader that has gone never comes back: to try on would
 * keep the process from ever ending.
 */
export function writeInBackground(fd: number): (text: string) => void {
  let waiting = ''
  /** What a full pipe has not taken yet. */
  let refused: Buffer = Buffer.alloc(0)
  let isWriting = false
  let isGone = false

  function writeOn(bytes: Buffer): void {
    isWriting = true
    refused = Buffer.alloc(0)
    write(fd, bytes, (error, written) => {
      if (error === null) {
        if (written < bytes.length) writeOn(bytes.subarray(written))
        else writeNext()
      } else if (error.code === 'EAGAIN') {
        refused = bytes
        setTimeout(() => writeOn(bytes), FULL_MS)
      } else {
        isGone = true
        if (error.code !== 'EIO' && error.code !== 'EPIPE') throw error
      }
    })
  }

  function writeNext(): void {
    isWriting = false
    if (waiting === '') return void process.off('exit', writeLast)
    const bytes = Buffer.from(waiting)
    waiting = ''
    writeOn(bytes)
  }

  function writeLast(): void {
    if (isGone) return
    let bytes = Buffer.concat([refused, Buffer.from(waiting)])
    for (let tries = 0; bytes.length > 0 && tries < LAST_TRIES; ) {
      try {
        bytes = bytes.subarray(writeSync(fd, bytes))
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return
        tries++
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_MS)
      }
    }
  }

  return (text) => {
    if (isGone) return
    waiting += text
    if (isWriting) return
    process.on('exit', writeLast)
    writeNext()
  }
}
