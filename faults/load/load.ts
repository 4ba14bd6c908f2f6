import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../../conformance/engine/random.ts'
import type { World } from '../world/world.ts'
import { ask } from './ask.ts'
import type { Sighting } from './sighting.ts'
import { pickVisit } from './visits.ts'

/** Clients that ask one thing after another. */
export interface Load {
  /** Lets every request come to its end, and gives what was seen. */
  stop(): Promise<Sighting[]>
}

/** How long a client rests after what was no answer, and between two requests at most. */
const REST_MS = 300
const MOST_BETWEEN_MS = 150

/** What a load is made of. */
export interface LoadOptions {
  readonly world: World
  readonly seed: number
  readonly episode: number
  readonly clients: number
}

/** Starts the clients of an episode: one in four through the proxy, the others spread over the routers. */
export function startLoad({ world, seed, episode, clients }: LoadOptions): Load {
  let isOver = false
  const ways = [
    { way: 'proxy', baseUrl: world.proxy.baseUrl },
    ...world.routers.map(({ seat, baseUrl }) => ({ way: seat.name, baseUrl })),
  ]
  const runs = Array.from({ length: clients }, async (_, client) => {
    const random = createRandom(seed, `clients/${episode}/${client}`)
    const { way, baseUrl } = ways[client % ways.length]!
    const sightings: Sighting[] = []
    for (let count = 0; !isOver; count++) {
      const visit = pickVisit(random)
      const { apiKey } = world.payers.find(({ name }) => name === visit.payer)!
      const nonce = `${episode}.${client}.${count}`
      const seen = await ask({ baseUrl, way, apiKey, nonce, word: world.word }, visit)
      sightings.push(seen)
      await sleep(seen.ending === 'whole' ? random.below(MOST_BETWEEN_MS) : REST_MS)
    }
    return sightings
  })
  return {
    async stop() {
      isOver = true
      return (await Promise.all(runs)).flat()
    },
  }
}
