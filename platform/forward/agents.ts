import { Agent, type ClientRequest } from 'node:http'
import { Agent as TlsAgent } from 'node:https'

/** The connections to one origin; idle ones are kept. */
export interface Agents {
  /** Makes a request, with one of them or a new one. */
  use(open: (agent: Agent) => ClientRequest): ClientRequest
  close(): void
}

/**
 * How many requests one of Node's agents has at once (ours). It looks through all of its connections for the one that has
 * become free: of 5,000 this takes a tenth of the gateway's time.
 */
const MOST_REQUESTS = 128

/** Creates as many of Node's agents as are needed; an idle connection is kept for `idleMs`. */
export function createAgents(isTls: boolean, idleMs: number): Agents {
  // A request that runs is told of this time by an event, to which nobody listens.
  const options = { keepAlive: true, timeout: idleMs }
  const all: { readonly agent: Agent; running: number }[] = []

  function add() {
    const added = { agent: isTls ? new TlsAgent(options) : new Agent(options), running: 0 }
    all.push(added)
    return added
  }

  return {
    use(open) {
      // The first that has room, so that few requests share one agent, whose idle connections they find.
      const one = all.find(({ running }) => running < MOST_REQUESTS) ?? add()
      const request = open(one.agent)
      one.running += 1
      request.once('close', () => {
        one.running -= 1
      })
      return request
    },
    close() {
      for (const { agent } of all) agent.destroy()
    },
  }
}
