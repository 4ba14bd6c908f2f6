import { readFileSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Place } from './place.ts'

/** The port to start on: the one asked for, else that of the last start, else any; a taken one is passed over. */
export async function choosePort({ folder }: Place, wanted: number | undefined): Promise<number> {
  const file = join(folder, 'port')
  for (const candidate of [wanted, readPort(file), 0]) {
    if (candidate === undefined) continue
    const port = await tryPort(candidate)
    if (port === undefined) continue
    writeFileSync(file, `${port}\n`)
    return port
  }
  throw new Error('There is no free port for the database')
}

function readPort(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined
  } catch {
    return undefined
  }
}

function tryPort(port: number): Promise<number | undefined> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const chosen = (server.address() as AddressInfo).port
      server.close(() => resolve(chosen))
    })
  })
}
