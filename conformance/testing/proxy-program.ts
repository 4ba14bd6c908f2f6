import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Jump } from './clock.ts'
import { createClocks } from './clocked.ts'

import { freePort } from './ports.ts'
import { startCommand } from './program.ts'
import { proxyConfig } from './proxy-config.ts'

/** What the proxy stands in front of. */
export interface ProxySurroundings {
  readonly folder: string
  readonly wiredUrl: string
  readonly platformUrl: string
  readonly rootPemFile: string
  readonly pin: string
}

/** The verifying proxy, which can be started anew and be told another time. */
export interface ProxyProgram {
  /** With `/v1`. */
  readonly address: string
  /** With `/v1`; of the listener that is open to other machines. */
  readonly openAddress: string
  readonly socket: string
  /** Where people see what it has verified. */
  readonly pageAddress: string
  restart(): Promise<void>
  /** Its clocks jump. */
  advance(jump: Jump): void
  stop(): Promise<void>
}

/** Starts the proxy with a clock that can be moved. */
export async function startProxyProgram({ folder, ...at }: ProxySurroundings): Promise<ProxyProgram> {
  const [port, openPort, adminPort] = [await freePort(), await freePort(), await freePort()]
  const socket = join(folder, 'proxy.sock')
  const file = join(folder, 'proxy.yaml')
  writeFileSync(
    file,
    JSON.stringify(proxyConfig({ ...at, port, openPort, adminPort, socket, dataDir: join(folder, 'proxy') })),
  )
  const clocks = createClocks(join(folder, 'proxy-clock'))
  let program = await startCommand('proxy', file, clocks.env)
  return {
    address: String(program.ready.address),
    openAddress: `http://127.0.0.1:${openPort}/v1`,
    socket,
    pageAddress: `http://127.0.0.1:${adminPort}/`,
    async restart() {
      await program.stop()
      program = await startCommand('proxy', file, clocks.env)
    },
    advance: (jump) => clocks.jump(program.child, jump),
    stop: async () => void (await program.stop()),
  }
}
