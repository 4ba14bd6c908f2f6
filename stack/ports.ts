import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Where each part listens unless the port is taken. */
export const defaultPorts = {
  proxy: 8484,
  platform: 8443,
  platformControl: 8444,
  router: 8080,
  admin: 9464,
  outbox: 8025,
  backend: 9000,
  backendControl: 9001,
  postgres: 54_329,
} as const

/** The name of a port. */
export type PortName = keyof typeof defaultPorts

/** A port to listen on, and the one it was meant to be. */
export interface ChosenPort {
  readonly port: number
  readonly wanted: number
}

const HOST = '127.0.0.1'
// Ours: a neighbouring port is easier to remember than any.
const NEIGHBOURS = 20
const MAX_TRIES = 3

/**
 * Runs `start` with ports that are free: each as wanted, else a little above, else any. When it fails and a port
 * was taken meanwhile by somebody else, it is run again with others.
 */
export async function withPorts<Name extends string, Result>(
  wanted: Readonly<Record<Name, number>>,
  start: (ports: Readonly<Record<Name, ChosenPort>>) => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    const ports = await choosePorts(wanted)
    try {
      return await start(ports)
    } catch (error) {
      if (tries === MAX_TRIES || (await areFree(Object.values<ChosenPort>(ports)))) throw error
    }
  }
}

/** Chooses free ports, no two the same. */
export async function choosePorts<Name extends string>(
  wanted: Readonly<Record<Name, number>>,
): Promise<Record<Name, ChosenPort>> {
  const taken = new Set<number>()
  const chosen = {} as Record<Name, ChosenPort>
  for (const [name, port] of Object.entries(wanted) as [Name, number][]) {
    const free = await findFree(port, taken)
    taken.add(free)
    chosen[name] = { port: free, wanted: port }
  }
  return chosen
}

async function areFree(ports: readonly ChosenPort[]): Promise<boolean> {
  const found = await Promise.all(ports.map(({ port }) => tryPort(port)))
  return found.every((port) => port !== undefined)
}

async function findFree(wanted: number, taken: ReadonlySet<number>): Promise<number> {
  for (let port = wanted; port <= wanted + NEIGHBOURS; port += 1) {
    if (!taken.has(port) && (await tryPort(port)) !== undefined) return port
  }
  const any = await tryPort(0)
  if (any === undefined) throw new Error(`No port is free on ${HOST}.`)
  return any
}

/** The port if it can be listened on. */
async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer()
  try {
    server.listen(port, HOST)
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  } catch {
    return undefined
  } finally {
    server.close()
  }
}
