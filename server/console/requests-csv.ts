import { once } from 'node:events'
import { requestCsv } from '../history/request-csv.ts'
import type { Log } from '../log.ts'
import type { Sql } from '../store/connection.ts'
import type { RawConsoleHandler } from './handlers.ts'
import { readNarrowing } from './requests.ts'

class SessionOver extends Error {}

/**
 * `GET /requests.csv`: the log as a file of any length (CONS-45). A batch is read when the last one has been taken, so
 * that a slow reader fills no memory and one that has left ends it. A failure in the midst breaks the connection: half a
 * file must not look like a whole one. So it does when the session ends meanwhile (CONS-64).
 */
export function savingRequests(
  sql: Sql,
  log: Log,
  isOpen: (sessionId: string) => Promise<boolean>,
): RawConsoleHandler<'saveRequests'> {
  return async ({ person, query, response, headers }) => {
    // Left before it was known who asks: no event will tell of it any more.
    if (response.destroyed) return
    const csv = requestCsv(sql, person.workspaceId, readNarrowing(query))
    const left = new AbortController()
    const { signal } = left
    response.once('close', () => left.abort())
    // What fails before anything is sent is a refusal as any other.
    const [head, first] = [await csv.next(), await csv.next()]
    response.writeHead(200, {
      ...headers,
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="requests.csv"',
    })
    try {
      for (let piece = [head, first]; ; piece = [await csv.next()]) {
        const text = piece.map(({ value = '' }) => value).join('')
        if (!response.write(text)) await once(response, 'drain', { signal })
        if (signal.aborted || piece.at(-1)?.done) break
        // Half a file is cut, as where it fails: it must not look like a whole one.
        if (!(await isOpen(person.sessionId))) throw new SessionOver()
      }
      response.end()
    } catch (error) {
      if (!signal.aborted && !(error instanceof SessionOver))
        log.error('a file of requests could not be written to its end', { error })
      response.destroy()
    } finally {
      await csv.return()
    }
  }
}
