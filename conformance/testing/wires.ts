import { startWireControl } from '../stand-ins/wire/control.ts'
import { createWire, type Wire } from '../stand-ins/wire/wire.ts'
import { freePort } from './ports.ts'
import type { WireName } from './target-file.ts'

/** The wires of a deployment. */
export interface Wires {
  portOf(name: WireName): number
  /** An address whose connections run through a wire. */
  through(name: WireName, url: string): string
  readonly controlUrlOf: (name: WireName) => string
  close(): Promise<void>
}

/** Lays a wire to each address, and one control address for all of them. */
export async function layWires(ends: Readonly<Record<WireName, () => string>>): Promise<Wires> {
  const entries = await Promise.all(
    // While a wire is cut nobody else may be given its port.
    Object.entries(ends).map(
      async ([name, end]) => [name, await createWire(() => endOf(end()), await freePort())] as const,
    ),
  )
  const wires = Object.fromEntries(entries) as Record<WireName, Wire>
  const control = await startWireControl(wires)
  return {
    portOf: (name) => wires[name].port,
    through(name, url) {
      const wired = new URL(url)
      wired.hostname = '127.0.0.1'
      wired.port = String(wires[name].port)
      return wired.href.replace(/\/$/, '')
    },
    controlUrlOf: control.urlOf,
    async close() {
      await control.close()
      await Promise.all(Object.values(wires).map((wire) => wire.close()))
    },
  }
}

function endOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname === 'localhost' ? '127.0.0.1' : hostname, port: Number(port) }
}
