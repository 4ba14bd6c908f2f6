import { shorten } from '#base/foreign-text.ts'
import { findWorkspaces } from '../administration/find-workspaces.ts'
import { create as createWorkspace, limit as limitWorkspace } from '../administration/workspaces.ts'
import { loadRouterConfig } from '../config/router.ts'
import { type LedgerRow, readCredits } from '../history/ledger-pages.ts'
import {
  findWorkspace,
  type LimitChange,
  listLimitChanges,
  listWorkspaces,
  type Workspace,
} from '../store/workspaces.ts'
import { type ActOptions, actorOf } from './actor.ts'
import { withCells } from './cells.ts'
import { formatDollars } from './dollars.ts'
import { type CommonOptions, columns, formatTime, print } from './output.ts'
import { parseCount, parseText, UsageError } from './usage.ts'

/** Longest name of a workspace (ours). */
const MAX_NAME_CHARACTERS = 64

/** Most rows of a ledger that are shown; `router usage` and the console have all of them (ours). */
const MAX_LEDGER_ROWS = 1_000

/** `router workspace create --name N`. */
export async function create(
  options: ActOptions & { readonly name: string; readonly cell?: string },
): Promise<void> {
  const { config, cell } = options
  const name = parseText('--name', options.name, MAX_NAME_CHARACTERS)
  const actor = actorOf(options)
  const workspace = await withCells(config, async (cells) => {
    const place = await cells.place(cell)
    const made = await createWorkspace(place.sql, actor, name, place.id)
    return cells.areSeveral ? { ...made, cell: place.name } : made
  })
  print(options, toDocument(workspace), [
    `Workspace ${workspace.id} (${shorten(workspace.name)}) is there, with ${formatDollars(workspace.balanceMicros)}.`,
    `Add credit: router credit ${workspace.id} 5 --reason "First top-up"`,
  ])
}

/** `router workspace list`: all, or those that a text is found in. */
export async function list(options: CommonOptions & { readonly find?: string }): Promise<void> {
  const { find: text } = options
  const { workspaces, areSeveral } = await withCells(options.config, async (cells) => {
    const lists = await cells.counting((elsewhere) =>
      cells.each(async (sql, cell) => {
        const found =
          text === undefined ? await listWorkspaces(sql) : (await findWorkspaces(sql, { text })).toReversed()
        if (!cells.areSeveral) return found
        const away = new Set(elsewhere(cell))
        return found.filter(({ id }) => !away.has(id)).map((workspace) => ({ ...workspace, cell }))
      }),
    )
    return { workspaces: mergeWorkspaces(lists), areSeveral: cells.areSeveral }
  })
  const rows = workspaces.map(({ id, name, balanceMicros, requestsPerMinute, tokensPerMinute, cell }) => {
    const cells = [orDefault(requestsPerMinute), orDefault(tokensPerMinute), ...(cell ? [cell] : [])]
    return [id, name, formatDollars(balanceMicros), ...cells]
  })
  const head = ['WORKSPACE', 'NAME', 'BALANCE', 'RPM', 'TPM', ...(areSeveral ? ['CELL'] : [])]
  print(options, workspaces.map(toDocument), columns([head, ...rows]))
}

/** `router workspace show ID`: the balance is that of the moment in which its rows were read. */
export async function show(id: string, options: CommonOptions & { readonly limit: string }): Promise<void> {
  const limit = parseCount('--limit', options.limit, MAX_LEDGER_ROWS)
  const { workspace, changes, credits } = await withCells(options.config, async (cells) => {
    const sql = await cells.ofWorkspace(id)
    return {
      workspace: await findWorkspace(sql, id),
      changes: await listLimitChanges(sql, id),
      credits: await readCredits(sql, id, { place: 'first', limit }),
    }
  })
  if (!workspace) throw noWorkspace(id)
  const { limits } = loadRouterConfig(options.config, process.env)
  const { name, requestsPerMinute, tokensPerMinute } = workspace
  const { balance, page } = credits
  const { balanceMicros, heldMicros } = balance
  const facts = columns([
    ['workspace', id],
    ['name', name],
    [
      'balance',
      `${formatDollars(balanceMicros)}, of which running requests hold ${formatDollars(heldMicros)}`,
    ],
    ['requests a minute', describeLimit(requestsPerMinute, limits.requestsPerMinute)],
    ['tokens a minute', describeLimit(tokensPerMinute, limits.tokensPerMinute)],
  ])
  const history = changes.map((change) => {
    return [formatTime(change.at), orDefault(change.requestsPerMinute), orDefault(change.tokensPerMinute)]
  })
  const table = history.length === 0 ? [] : ['', ...columns([['LIMITS SET', 'RPM', 'TPM'], ...history])]
  const moves = page.rows.map(({ createdAt, kind, amountMicros, balanceAfterMicros, description }) => {
    const amounts = [formatDollars(amountMicros), formatDollars(balanceAfterMicros)]
    return [formatTime(createdAt), kind, ...amounts, description]
  })
  const ledger =
    moves.length === 0 ? [] : ['', ...columns([['LEDGER', 'KIND', 'AMOUNT', 'BALANCE', 'REASON'], ...moves])]
  const document = {
    ...toDocument({ ...workspace, balanceMicros }),
    held_micros: heldMicros,
    created_at: workspace.createdAt,
    limit_changes: changes.map(toChangeDocument),
    ledger: page.rows.map(toLedgerDocument),
  }
  print(options, document, [...facts, ...table, ...ledger])
}

/** What `router workspace limits` takes; false gives the deployment's back. */
export interface LimitOptions extends ActOptions {
  readonly requestsPerMinute?: string | false
  readonly tokensPerMinute?: string | false
}

/** `router workspace limits ID`: raised or lowered from the next request on, at every router. */
export async function limits(id: string, options: LimitOptions): Promise<void> {
  const { requestsPerMinute, tokensPerMinute } = options
  if (requestsPerMinute === undefined && tokensPerMinute === undefined) {
    throw new UsageError('Nothing to change is named; see --help.')
  }
  const named = {
    ...(requestsPerMinute !== undefined && { requestsPerMinute: parseLimit('--rpm', requestsPerMinute) }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute: parseLimit('--tpm', tokensPerMinute) }),
  }
  const actor = actorOf(options)
  const workspace = await withCells(options.config, async (cells) =>
    limitWorkspace(await cells.ofWorkspace(id), actor, id, named),
  )
  if (!workspace) throw noWorkspace(id)
  const usual = loadRouterConfig(options.config, process.env).limits
  print(options, toDocument(workspace), [
    `Workspace ${id} (${shorten(workspace.name)}), from the next request on:`,
    `  requests a minute: ${describeLimit(workspace.requestsPerMinute, usual.requestsPerMinute)}`,
    `  tokens a minute: ${describeLimit(workspace.tokensPerMinute, usual.tokensPerMinute)}`,
  ])
}

function parseLimit(option: string, text: string | false): number | null {
  return text === false ? null : parseCount(option, text)
}

function describeLimit(own: number | null, usual: number): string {
  return own === null ? `${usual}, as every workspace` : `${own}, its own in place of ${usual}`
}

function orDefault(limit: number | null): string {
  return limit === null ? 'default' : String(limit)
}

/** A workspace, and its cell where there are several. */
type Listed = Workspace & { readonly cell?: string }

/** Oldest first, as each list is. */
function mergeWorkspaces(lists: readonly (readonly Listed[])[]): Listed[] {
  return lists.flat().sort((one, other) => (one.id < other.id ? -1 : 1))
}

function toDocument({ id, name, balanceMicros, requestsPerMinute, tokensPerMinute, cell }: Listed) {
  return {
    id,
    name,
    balance_micros: balanceMicros,
    requests_per_minute: requestsPerMinute,
    tokens_per_minute: tokensPerMinute,
    ...(cell !== undefined && { cell }),
  }
}

function toChangeDocument({ at, requestsPerMinute, tokensPerMinute }: LimitChange) {
  return { at, requests_per_minute: requestsPerMinute, tokens_per_minute: tokensPerMinute }
}

function toLedgerDocument(row: LedgerRow) {
  return {
    id: row.id,
    created_at: row.createdAt,
    kind: row.kind,
    amount_micros: row.amountMicros,
    balance_after_micros: row.balanceAfterMicros,
    description: row.description,
    reference: row.reference,
  }
}

/** The refusal of a command whose workspace is none of the books. */
export function noWorkspace(id: string): Error {
  return new Error(`There is no workspace ${id}. See: router workspace list`)
}
