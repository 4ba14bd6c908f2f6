import { loadRouterConfig } from '../config/router.ts'
import { versionOf } from '../config/version.ts'
import { type CommonOptions, print } from './output.ts'

/** `router config check`, and `run --check`: every mistake of the file at once, or none (exit 4, or 0). */
export function check(options: CommonOptions): void {
  const config = loadRouterConfig(options.config, process.env)
  print(options, { ok: true, models: config.models.length, version: versionOf(config) }, [
    `${options.config} is in order.`,
  ])
}
