import { askControl, readControl } from './hooks.ts'

/** A wire between two parts of the deployment; stand-ins/wire/README.md tells what it can. */
export interface WireHandle {
  cut(): Promise<void>
  drop(): Promise<void>
  hold(count?: number): Promise<void>
  /** Leads new connections to another port of this machine. */
  lead(port: number): Promise<void>
  mend(): Promise<void>
  /** Puts a header into answers to requests whose head holds the text. */
  insert(contains: string, header: string): Promise<void>
  state(): Promise<{ readonly connections: number; readonly held: number }>
  /** Heads of the requests that hold the text, as they were sent. */
  heads(contains: string): Promise<readonly string[]>
  /** First bytes of the latest connections, in order. */
  beginnings(): Promise<readonly Buffer[]>
}

/** Makes the handle of the wire at a control address; each call throws a `HookError` when that does not answer 2xx. */
export function wireAt(url = ''): WireHandle {
  return {
    cut: () => askControl(`${url}/cut`),
    drop: () => askControl(`${url}/drop`),
    hold: (count) => askControl(`${url}/hold`, count === undefined ? {} : { count }),
    lead: (port) => askControl(`${url}/lead`, { port }),
    mend: () => askControl(`${url}/mend`),
    insert: (contains, header) => askControl(`${url}/insert`, { contains, header }),
    async state() {
      return (await readControl(`${url}/state`)) as Awaited<ReturnType<WireHandle['state']>>
    },
    async heads(contains) {
      const query = new URLSearchParams({ contains })
      return ((await readControl(`${url}/heads?${query}`)) as { heads: string[] }).heads
    },
    async beginnings() {
      const { beginnings } = (await readControl(`${url}/beginnings`)) as { beginnings: string[] }
      return beginnings.map((text) => Buffer.from(text, 'base64'))
    },
  }
}
