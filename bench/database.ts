import { finishOnSignals } from '#base/interruption.ts'
import { DURABLE, startTestServer, type TestServer } from '../server/store/testing.ts'

/** A PostgreSQL for a benchmark, whose commits are on the disk; a signal that ends the benchmark stops it as well. */
export async function startDatabase(): Promise<TestServer> {
  const starting = startTestServer(DURABLE)
  const interruption = finishOnSignals(async () => (await starting).stop())
  const server = await starting
  return {
    ...server,
    async stop() {
      await server.stop()
      interruption.end()
    },
  }
}
