import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** The socket's side of one answer: writes that wait for the client, pauses that end when it leaves. */
export interface Outlet {
  readonly response: ServerResponse
  /** Aborts when the client has left or the backend closes. */
  readonly signal: AbortSignal
  /** Resolves when the bytes have left this process. */
  write(bytes: Buffer): Promise<void>
  pause(ms: number | undefined): Promise<void>
  /** Resolves never, but rejects when the client leaves. */
  stall(): Promise<never>
  /** Destroys the socket: a fault of ours, not a client that left. */
  destroy(reset: boolean): void
  readonly destroyed: boolean
}

/** Makes an outlet that writes at most so many bytes at a time. */
export function createOutlet(response: ServerResponse, signal: AbortSignal, bytesPerWrite: number): Outlet {
  let destroyed = false

  async function write(bytes: Buffer): Promise<void> {
    for (let start = 0; start < bytes.length; start += bytesPerWrite) {
      if (start > 0) await nextTurn()
      await writeOnce(bytes.subarray(start, start + bytesPerWrite))
    }
  }

  function writeOnce(bytes: Buffer): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => reject(signal.reason)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    response.write(bytes, (error) => (error ? reject(error) : resolve()))
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  async function pause(ms = 0): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal })
  }

  function stall(): Promise<never> {
    return new Promise((_, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }

  function destroy(reset: boolean): void {
    destroyed = true
    if (reset) response.socket?.resetAndDestroy()
    else response.socket?.destroy()
  }

  return {
    response,
    signal,
    write,
    pause,
    stall,
    destroy,
    get destroyed() {
      return destroyed
    },
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
