import type { EventEmitter } from 'node:events'
import type { Log } from '../log.ts'
import { isOutage } from './outage.ts'

/**
 * Has the program outlive a connection that is lost while the driver looks up types on it: the failure ends in a promise
 * that nobody holds, and would end the process. Nothing else waits for that look-up; the pool opens another connection.
 * Every other rejection that nobody handles ends the program as before. Returns what ends this.
 */
export function outliveLostLookUps(log: Pick<Log, 'error'>, program: EventEmitter = process): () => void {
  const onRejection = (error: unknown) => {
    if (!isOutage(error)) throw error
    log.error('a connection to the database was lost as it began', { error })
  }
  program.on('unhandledRejection', onRejection)
  return () => program.off('unhandledRejection', onRejection)
}
