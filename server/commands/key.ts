import { shorten } from '#base/foreign-text.ts'
import * as keys from '../administration/keys.ts'
import { loadRouterConfig } from '../config/router.ts'
import { type Key, listKeys } from '../store/keys.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { type ActOptions, actorOf } from './actor.ts'
import { withCells } from './cells.ts'
import { formatDollars } from './dollars.ts'
import { type KeySettingOptions, parseSettings } from './key-settings.ts'
import { type CommonOptions, columns, formatTime, print } from './output.ts'
import { UsageError } from './usage.ts'
import { noWorkspace } from './workspace.ts'

/** What `router key create` takes. */
export interface KeyOptions extends ActOptions, KeySettingOptions {
  readonly workspace: string
  readonly name: string
}

/** `router key create`: the only time that the key itself is printed (KEY-04). */
export async function create(options: KeyOptions): Promise<void> {
  const settings = { ...parseSettings(options), name: options.name }
  const unknownModels = describeUnknownModels(options, settings.modelScope)
  const actor = actorOf(options)
  const made = await withCells(options.config, async (cells) => {
    const sql = await cells.ofWorkspace(options.workspace)
    return keys.create(sql, actor, options.workspace, settings, cells.keyPlacing(sql))
  })
  if (!made) throw noWorkspace(options.workspace)
  const { key, plaintext } = made
  const { id, ...rest } = toDocument(key)
  const revive = `It has expired already: router key update ${id} --expires <time>`
  print(options, { id, api_key: plaintext, ...rest }, [
    plaintext,
    '',
    `Key ${id} (${shorten(key.name)}). It is not shown again: keep it now.`,
    ...(key.state === 'expired' ? [revive] : []),
    ...unknownModels,
  ])
}

/** `router key list`: a workspace's keys, revoked and expired ones too. */
export async function list(options: CommonOptions & { readonly workspace: string }): Promise<void> {
  const listed = await withCells(options.config, async (cells) => {
    const sql = await cells.ofWorkspace(options.workspace)
    if (!(await findWorkspace(sql, options.workspace))) throw noWorkspace(options.workspace)
    return listKeys(sql, options.workspace)
  })
  const limits = ['SPENT', 'SPEND LIMIT', 'RPM', 'TPM', 'MODELS', 'EXPIRES']
  const head = ['KEY', 'NAME', 'PREFIX', 'STATE', ...limits, 'LAST USED']
  print(options, listed.map(toDocument), columns([head, ...listed.map(toCells)]))
}

/** `router key revoke`: for good, from the next request on. Again is harmless. */
export async function revoke(id: string, options: ActOptions): Promise<void> {
  const actor = actorOf(options)
  const key = await withCells(options.config, async (cells) => keys.revoke(await cells.ofKey(id), actor, id))
  if (!key) throw noKey(id)
  print(options, toDocument(key), [
    `Key ${id} (${shorten(key.name)}) is revoked since ${formatTime(key.revokedAt)}.`,
  ])
}

/** `router key update`: changes what is named and nothing else. */
export async function update(id: string, options: ActOptions & KeySettingOptions): Promise<void> {
  const settings = parseSettings(options)
  if (Object.keys(settings).length === 0) throw new UsageError('Nothing to change is named; see --help.')
  const actor = actorOf(options)
  const key = await withCells(options.config, async (cells) =>
    keys.update(await cells.ofKey(id), actor, id, settings),
  )
  if (!key) throw noKey(id)
  print(options, toDocument(key), [
    `Key ${id} (${shorten(key.name)}) is changed; it is ${key.state}.`,
    ...describeUnknownModels(options, settings.modelScope),
  ])
}

/** A hint and no refusal: a model may come later, or stand in another router's file. */
function describeUnknownModels({ config }: CommonOptions, scope: readonly string[] | null = null): string[] {
  if (scope === null) return []
  const { models } = loadRouterConfig(config, process.env)
  const unknown = scope.filter((id) => !models.some((model) => model.id === id))
  return unknown.map((id) => `No model of ${config} is called ${id} yet.`)
}

function toCells(key: Key): string[] {
  const spendLimit = key.spendLimitMicros === null ? '-' : formatDollars(key.spendLimitMicros)
  return [
    key.id,
    key.name,
    key.prefix,
    key.state,
    formatDollars(key.spentMicros),
    spendLimit,
    // A key without a value of its own has its workspace's.
    String(key.requestsPerMinute ?? 'default'),
    String(key.tokensPerMinute ?? 'default'),
    key.modelScope?.join(', ') ?? 'all',
    formatTime(key.expiresAt),
    formatTime(key.lastUsedAt),
  ]
}

function toDocument(key: Key) {
  return {
    id: key.id,
    prefix: key.prefix,
    workspace_id: key.workspaceId,
    name: key.name,
    state: key.state,
    model_scope: key.modelScope,
    requests_per_minute: key.requestsPerMinute,
    tokens_per_minute: key.tokensPerMinute,
    spend_limit_micros: key.spendLimitMicros,
    spent_micros: key.spentMicros,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
  }
}

function noKey(id: string): Error {
  return new Error(`There is no key ${id}. See: router key list --workspace <id>`)
}
