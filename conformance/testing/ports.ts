import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Where no system takes the ports of outgoing connections from, which could be any free one a moment later. */
const [LOWEST, HIGHEST] = [15_000, 32_000]

/** Where nothing ever listens; what is free now somebody else may take, and answer as the model that is said to be away. */
export const CLOSED_PORT = 1

/** How many ports are tried (ours). */
const TRIES = 50

/** A port at which nothing listens, and nothing will by chance. */
export async function freePort(): Promise<number> {
  for (let turn = 0; turn < TRIES; turn++) {
    const port = randomInt(LOWEST, HIGHEST)
    if (await isFree(port)) return port
  }
  throw new Error(`none of ${TRIES} ports is free`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
