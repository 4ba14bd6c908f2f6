import { AsyncLocalStorage } from 'node:async_hooks'

/** Hears what is thrown where nobody waits for it: in a timer, in an event of a socket, in a promise that was left. */
export type Hear = (thrown: unknown) => void

const heard = new AsyncLocalStorage<Hear>()

/** Runs `act`; whatever its work throws astray, and be it after its end, is told to `hear` in place of the process. */
export function hearing<T>(hear: Hear, act: () => Promise<T>): Promise<T> {
  return heard.run(hear, act)
}

/**
 * From now on no stray ends the process: each goes to whoever runs the work that it comes from, and to `onStray` where
 * nobody does. Gives what ends this.
 */
export function catchStrays(onStray: Hear): () => void {
  const tell: Hear = (thrown) => (heard.getStore() ?? onStray)(thrown)
  for (const event of EVENTS) process.on(event, tell)
  return () => {
    for (const event of EVENTS) process.off(event, tell)
  }
}

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const
