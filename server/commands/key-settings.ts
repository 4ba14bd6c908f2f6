import { limits } from '#contract/limits'
import type { KeySettings } from '../store/keys.ts'
import { parseDollars } from './dollars.ts'
import { parseCount, parseText, parseTime, UsageError } from './usage.ts'

/** What may be said about a key on the command line; false takes a setting away. */
export interface KeySettingOptions {
  readonly name?: string
  readonly models?: string | false
  readonly rpm?: string | false
  readonly tpm?: string | false
  readonly spendLimit?: string | false
  readonly expires?: string | false
}

/** Reads the settings that were named; the others are not there. Throws `UsageError`. */
export function parseSettings(options: KeySettingOptions): KeySettings {
  const { name, models, rpm, tpm, spendLimit, expires } = options
  return {
    ...(name === undefined ? {} : { name: parseText('--name', name, limits.maxKeyNameCharacters) }),
    ...setting('modelScope', models, parseModels),
    ...setting('requestsPerMinute', rpm, (text) => parseCount('--rpm', text)),
    ...setting('tokensPerMinute', tpm, (text) => parseCount('--tpm', text)),
    ...setting('spendLimitMicros', spendLimit, parseSpendLimit),
    ...setting('expiresAt', expires, (text) => parseTime('--expires', text)),
  }
}

function setting<Name extends Exclude<keyof KeySettings, 'name'>>(
  name: Name,
  text: string | false | undefined,
  parse: (text: string) => NonNullable<KeySettings[Name]>,
): Pick<KeySettings, Name> | Record<never, never> {
  return text === undefined ? {} : { [name]: text === false ? null : parse(text) }
}

function parseModels(text: string): string[] {
  const models = text.split(',').map((id) => id.trim())
  if (models.includes('')) throw new UsageError('--models must be model ids separated by commas.')
  return models
}

function parseSpendLimit(text: string): bigint {
  const micros = parseDollars('--spend-limit', text)
  if (micros < 0n) throw new UsageError('--spend-limit must not be negative.')
  return micros
}
