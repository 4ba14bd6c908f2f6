import { limits } from '#contract'
import { createKey } from '../store/keys.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { withDatabase } from './database.ts'
import { parseDollars } from './dollars.ts'
import { type CommonOptions, print } from './output.ts'
import { parseCount, parseText, parseTime, UsageError } from './usage.ts'

/** What `router key create` takes. */
export interface KeyOptions extends CommonOptions {
  readonly workspace: string
  readonly name: string
  readonly models?: string
  readonly rpm?: string
  readonly tpm?: string
  readonly spendLimit?: string
  readonly expires?: string
}

/** `router key create`: the only time that the key itself is printed (§2.1). */
export async function create(options: KeyOptions): Promise<void> {
  const settings = parseSettings(options)
  const { key, plaintext } = await withDatabase(options.config, async (sql) => {
    if (!(await findWorkspace(sql, options.workspace))) {
      throw new Error(`There is no workspace ${options.workspace}. See: router workspace list`)
    }
    return createKey(sql, options.workspace, settings)
  })
  const document = {
    id: key.id,
    api_key: plaintext,
    prefix: key.prefix,
    workspace_id: key.workspaceId,
    name: key.name,
    model_scope: key.modelScope,
    requests_per_minute: key.requestsPerMinute,
    tokens_per_minute: key.tokensPerMinute,
    spend_limit_micros: key.spendLimitMicros,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
  }
  print(options, document, [
    plaintext,
    '',
    `Key ${key.id} (${key.name}). It is not shown again: keep it now.`,
  ])
}

function parseSettings({ name, models, rpm, tpm, spendLimit, expires }: KeyOptions) {
  return {
    name: parseText('--name', name, limits.maxKeyNameCharacters),
    modelScope: models === undefined ? null : parseModels(models),
    requestsPerMinute: parseCount('--rpm', rpm) ?? null,
    tokensPerMinute: parseCount('--tpm', tpm) ?? null,
    spendLimitMicros: spendLimit === undefined ? null : parseSpendLimit(spendLimit),
    expiresAt: parseTime('--expires', expires) ?? null,
  }
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
