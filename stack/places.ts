import { join, resolve } from 'node:path'

/** The clone's folder. */
export const HOME = resolve(import.meta.dirname, '..')

/** Where a stack keeps its files unless it is told otherwise. */
export const DEFAULT_DATA_DIR = join(HOME, '.data')

/** The files of one stack; all below its data folder. */
export interface Places {
  readonly dataDir: string
  /** What is up, for people and programs. */
  readonly stackFile: string
  /** Who starts or runs the stack, so that there is one starter only. */
  readonly starterFile: string
  readonly routerConfig: string
  readonly logs: string
}

/** Names the files of a data folder. */
export function placesIn(dataDir: string): Places {
  return {
    dataDir,
    stackFile: join(dataDir, 'stack.json'),
    starterFile: join(dataDir, 'starter.json'),
    routerConfig: join(dataDir, 'router.yaml'),
    logs: join(dataDir, 'logs'),
  }
}
