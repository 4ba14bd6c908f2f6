import { freePort } from '../conformance/testing/ports.ts'
import { kill, promote, startStandby } from '../server/store/testing/standby.ts'
import { startTestServer } from '../server/store/testing.ts'

/** A PostgreSQL and one that follows it: no commit is answered that the second does not have on disk. */
export interface PrimaryAndStandby {
  /** Names both; whoever connects is brought to the one that takes writes. */
  readonly url: string
  /** Of the second alone. */
  readonly standbyUrl: string
  /** Ends the first at once, and has the second take its place. */
  failOver(): Promise<void>
  stop(): Promise<void>
}

/** Starts both on a database with all tables. */
export async function startPrimaryAndStandby(): Promise<PrimaryAndStandby> {
  const server = await startTestServer()
  const primary = { dir: server.embedded.databaseDir, ...(await server.open(1)) }
  const standby = await startStandby(primary, 'standby', await freePort())
  const [{ host }, { host: second }] = [new URL(primary.url), new URL(standby.url)]
  return {
    url: `${primary.url.replace(host, `${host},${second}`)}?target_session_attrs=read-write`,
    standbyUrl: standby.url,
    async failOver() {
      await kill(primary)
      await promote(standby)
    },
    async stop() {
      await kill(standby)
      await standby.sql.end({ timeout: 1 })
      await server.stop()
    },
  }
}
