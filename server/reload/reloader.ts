import { ConfigError } from '../../config/error.ts'
import { restartNeededFor } from '../config/changes.ts'
import type { RouterConfig } from '../config/router.ts'
import { versionOf } from '../config/version.ts'
import type { Log } from '../log.ts'
import type { Edition } from './edition.ts'

/** Where the configuration is read from. */
export interface ConfigSource {
  /** For what is told. */
  readonly file: string
  /** Reads it as a start does; throws `ConfigError` with every mistake. */
  load(): RouterConfig
}

/** What came of reading the configuration anew. */
export type Reloaded =
  | { readonly outcome: 'taken_up' | 'unchanged' }
  | { readonly outcome: 'refused'; readonly error: Error }

/** A reload that was refused. */
export interface RefusedReload {
  readonly at: Date
  /** Every mistake with its path, as a start tells them. */
  readonly message: string
}

/** Reads the configuration anew whenever it is told to. */
export interface Reloader {
  /** Takes up the whole file, or nothing of it. Never throws: what was in force stays so. */
  reload(): Reloaded
  /** Of the last reload, if it was refused. */
  readonly refusal: RefusedReload | undefined
}

/** What a reloader needs from the router. */
export interface ReloaderOptions {
  readonly source: ConfigSource
  /** The edition in force. */
  readonly current: () => Edition
  /** Makes an edition and puts it into force; throws before that, or not at all. */
  readonly take: (config: RouterConfig) => Edition
  readonly log: Log
  readonly now: () => Date
}

const NEEDS_RESTART = 'has changed, which needs a restart; nothing of the file is taken up'

/** Nothing has been refused at first. */
export function createReloader({ source, current, take, log, now }: ReloaderOptions): Reloader {
  let refusal: RefusedReload | undefined

  function read(): RouterConfig {
    const config = source.load()
    const fixed = restartNeededFor(current().config, config)
    if (fixed.length === 0) return config
    throw new ConfigError(
      source.file,
      fixed.map((path) => ({ path, message: NEEDS_RESTART })),
    )
  }

  function takeUp(): 'taken_up' | 'unchanged' {
    const config = read()
    const { version: before } = current()
    if (versionOf(config) === before) {
      log.info('the configuration is as it was', { version: before })
      return 'unchanged'
    }
    const { version } = take(config)
    log.info('the configuration is taken up', { version, before })
    return 'taken_up'
  }

  function tell(error: unknown): void {
    const message = 'the changed configuration is refused, and nothing of it is taken up'
    const { version } = current()
    if (!(error instanceof ConfigError)) log.error(message, { version, error })
    else
      for (const { path: setting, message: mistake } of error.problems)
        log.error(message, { version, setting, mistake })
  }

  return {
    reload() {
      try {
        const outcome = takeUp()
        refusal = undefined
        return { outcome }
      } catch (thrown) {
        tell(thrown)
        const error = thrown instanceof Error ? thrown : new Error(String(thrown))
        refusal = { at: now(), message: error.message }
        return { outcome: 'refused', error }
      }
    },
    get refusal() {
      return refusal
    },
  }
}
