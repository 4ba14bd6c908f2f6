import { beforeAll, describe, test, vi } from 'vitest'
import { behaviours } from './behaviours.ts'
import { type ClientName, startClient } from './client.ts'
import { type Place, startDeployment } from './deployment.ts'
import { expectRefusal } from './expect-refusal.ts'
import { installClients } from './install.ts'
import { refusals } from './refusals.ts'
import { watchServers } from './sightings.ts'
import { type Bench, visit } from './visit.ts'

// An install over the network, then a database and five listeners.
const START_MS = 240_000

/** The bench of this file's client; call it in a test. */
export type Benched = () => Bench

const places: readonly Place[] = ['router', 'proxy']

/** Shows every behaviour and every refusal with one client, at the router and through the proxy. */
export function suiteOf(name: ClientName): Benched {
  // Most of the time is the clients' own pauses: all tests wait at once.
  vi.setConfig({ maxConcurrency: 40 })
  let bench: Bench
  beforeAll(async () => {
    installClients()
    const [deployment, client] = await Promise.all([startDeployment(), startClient(name)])
    const sightings = watchServers()
    bench = { deployment, client, sightings }
    return async () => {
      client.stop()
      sightings.close()
      await deployment.stop()
    }
  }, START_MS)

  describe.concurrent.each(places)('at the %s', (place) => {
    test.each(behaviours)('$title', async (behaviour) => {
      await behaviour.run(await visit(bench, place, behaviour))
    })
  })
  describe.concurrent('the server sees as many requests as docs/integrator.md says, for', () => {
    const cases = refusals.flatMap(({ places: at = places, ...refusal }) =>
      at.map((place) => ({ ...refusal, place })),
    )
    test.each(cases)('$title, at the $place', async (refusal) => {
      await expectRefusal(await visit(bench, refusal.place, refusal), name, refusal)
    })
  })
  return () => bench
}
