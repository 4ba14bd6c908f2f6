import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { Places } from './places.ts'

/** What is up; members appear with the parts that exist. */
export interface StackFile {
  /** With `/v1`. */
  readonly router_base_url: string
  /** With `/v1`. */
  readonly proxy_base_url: string
  readonly platform_url: string
  readonly platform_control_url: string
  readonly backend_control_url?: string
  readonly api_key: string
  readonly workspace_id: string
  readonly model: string
  /** The authority that the proxy trusts. */
  readonly root_pem_file: string
  /** Digests of the approved deployments, in wire form. */
  readonly pins: readonly string[]
  readonly database_url: string
  /** PostgreSQL's own folder; outside of the data folder where its user could not enter that. */
  readonly database_dir: string
  readonly pids: Pids
}

/** Process ids of the starter and of what it started. */
export interface Pids {
  readonly start: number
  readonly router: number
  readonly proxy: number
  readonly platform: number
  readonly postgres: number
  readonly backend?: number
}

/** It holds a key and the database's password. */
const MODE = 0o600

/** Writes the file as a whole: a reader sees the old one or the new one. */
export function writeStackFile({ stackFile }: Places, stack: StackFile): void {
  const aside = `${stackFile}.${process.pid}`
  writeFileSync(aside, `${JSON.stringify(stack, null, 2)}\n`, { mode: MODE })
  renameSync(aside, stackFile)
}

/** Reads the file; undefined when there is none. */
export function readStackFile({ stackFile }: Places): StackFile | undefined {
  try {
    return JSON.parse(readFileSync(stackFile, 'utf8')) as StackFile
  } catch {
    return undefined
  }
}

/** The file says what is up, so it goes when the stack goes. */
export function removeStackFile({ stackFile }: Places): void {
  rmSync(stackFile, { force: true })
}
