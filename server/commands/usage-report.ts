import { complain } from '#base/print.ts'
import {
  addUsage,
  NO_SUMS,
  readUsage,
  type UsageFilter,
  type UsageLine,
  type UsageSums,
} from '../metering/usage-report.ts'
import type { Sql } from '../store/connection.ts'
import { findKeyById } from '../store/keys.ts'
import { findWorkspace } from '../store/workspaces.ts'
import { type Cells, withCells } from './cells.ts'
import { findDescriptor, writeCsv } from './csv.ts'
import { formatDollars } from './dollars.ts'
import { type CommonOptions, columns, print } from './output.ts'
import { parseTimes, UsageError } from './usage.ts'

/** What `router usage` takes. */
export interface ReportOptions extends CommonOptions {
  readonly workspace?: string
  readonly key?: string
  readonly model?: string
  readonly from?: string
  readonly to?: string
  readonly csv?: string
}

const STDOUT = 1

/** `router usage`: tokens and cost by day, key and model; in memory, or a batch at a time into a file. */
export async function report(options: ReportOptions): Promise<void> {
  const { csv: file = null, config } = options
  const asked = parseFilter(options)
  if (file === '') throw new UsageError('--csv must be the name of a file.')
  if (options.json && file !== null && (await findDescriptor(file)) === STDOUT) {
    throw new UsageError('--json prints to standard output, too: give --csv another file.')
  }
  const lines: UsageLine[] = []
  let total = NO_SUMS
  let count = 0
  let areSeveral = false
  const isThere = await withCells(config, async (cells) => {
    const { filter, databases } = await resolve(cells, asked)
    areSeveral = databases.length > 1
    const read = (take: (batch: readonly UsageLine[]) => void | Promise<void>) =>
      cells.counting(async (elsewhere) => {
        for (const { sql, name } of databases) {
          await readUsage(
            sql,
            { ...filter, elsewhere: name === undefined ? [] : elsewhere(name) },
            (batch) => {
              count += batch.length
              total = batch.reduce<UsageSums>(addUsage, total)
              return take(batch)
            },
          )
        }
      })
    if (file === null) {
      await read((batch) => void lines.push(...batch))
      return false
    }
    const heads = fields.map(([name]) => name)
    return writeCsv(file, heads, (csv) => read((batch) => csv.write(batch.map(toRow))))
  })
  const document = {
    from: asked.from ?? null,
    to: asked.to ?? null,
    lines: file === null ? lines.map(toDocument) : null,
    file,
    total: toSums(total),
  }
  const told = `${count} lines are in ${file}.`
  const note = areSeveral ? ['', 'Each cell was summed up in a snapshot of its own.'] : []
  if (file === null) print(options, document, [...toTable(lines, total), ...note])
  else if (isThere || options.json) print(options, document, [told])
  // The pipe may be the one that this would be printed to.
  else complain(`${count} lines went to ${file}.`)
}

function parseFilter({ workspace, key, model, ...times }: ReportOptions): UsageFilter {
  return { workspaceId: workspace, keyId: key, model, ...parseTimes(times) }
}

/** A slip of the pen in an id must not look as if nothing had been used. A key's workspace is the only one to read. */
async function resolve(cells: Cells, filter: UsageFilter): Promise<Resolved> {
  const { workspaceId, keyId } = filter
  if (workspaceId === undefined && keyId === undefined) {
    return { filter, databases: await cells.each(async (sql, name) => ({ sql, name })) }
  }
  const sql = await (workspaceId === undefined ? cells.ofKey(keyId!) : cells.ofWorkspace(workspaceId))
  return { filter: await resolveIn(sql, filter), databases: [{ sql }] }
}

/** What is summed up, and where that is. */
interface Resolved {
  readonly filter: UsageFilter
  /** Each has a name where all that live there are meant. */
  readonly databases: readonly { readonly sql: Sql; readonly name?: string }[]
}

async function resolveIn(sql: Sql, filter: UsageFilter): Promise<UsageFilter> {
  const { workspaceId, keyId } = filter
  if (workspaceId !== undefined && !(await findWorkspace(sql, workspaceId))) {
    throw new Error(`There is no workspace ${workspaceId}. See: router workspace list`)
  }
  if (keyId === undefined) return filter
  const key = await findKeyById(sql, keyId)
  if (key === undefined || (workspaceId !== undefined && key.workspaceId !== workspaceId)) {
    throw new Error(`There is no key ${keyId}. See: router key list --workspace ${workspaceId ?? '<id>'}`)
  }
  return { ...filter, workspaceId: key.workspaceId }
}

/** What a line says, in the order of the file's columns. */
const fields: readonly (readonly [string, (line: UsageLine) => string | bigint | number])[] = [
  ['day', ({ day }) => day],
  ['workspace_id', ({ workspaceId }) => workspaceId],
  ['key_id', ({ keyId }) => keyId],
  ['key_name', ({ keyName }) => keyName],
  ['model', ({ model }) => model],
  ['requests', ({ requests }) => requests],
  ['prompt_tokens', ({ promptTokens }) => promptTokens],
  ['completion_tokens', ({ completionTokens }) => completionTokens],
  ['cost_micros', ({ costMicros }) => costMicros],
  ['counted_requests', ({ countedRequests }) => countedRequests],
  ['counted_cost_micros', ({ countedCostMicros }) => countedCostMicros],
  ['counted_share', countedShare],
]

const toRow = (line: UsageLine) => fields.map(([, cell]) => cell(line))

function toDocument(line: UsageLine) {
  const { day, workspaceId, keyId, keyName, model } = line
  return { day, workspace_id: workspaceId, key_id: keyId, key_name: keyName, model, ...toSums(line) }
}

function toSums(sums: UsageSums) {
  return {
    requests: sums.requests,
    prompt_tokens: sums.promptTokens,
    completion_tokens: sums.completionTokens,
    cost_micros: sums.costMicros,
    counted_requests: sums.countedRequests,
    counted_cost_micros: sums.countedCostMicros,
    counted_share: countedShare(sums),
  }
}

const SHARE_UNITS = 10_000n

/** To four decimals, rounded down: no share of less than all is shown as all. */
function countedShare({ requests, countedRequests }: UsageSums): number {
  return requests === 0n ? 0 : Number((countedRequests * SHARE_UNITS) / requests) / Number(SHARE_UNITS)
}

function toTable(lines: readonly UsageLine[], total: UsageSums): string[] {
  const head = [
    'DAY',
    'WORKSPACE',
    'KEY',
    'NAME',
    'MODEL',
    'REQUESTS',
    'PROMPT',
    'COMPLETION',
    'COST',
    'COUNTED',
  ]
  const rows = lines.map((line) => {
    return [line.day, line.workspaceId, line.keyId, line.keyName, line.model, ...toCells(line)]
  })
  return columns([head, ...rows, ['total', '', '', '', '', ...toCells(total)]])
}

function toCells(sums: UsageSums): string[] {
  const { requests, promptTokens, completionTokens, costMicros } = sums
  const counts = [requests, promptTokens, completionTokens].map(String)
  return [...counts, formatDollars(costMicros), `${(100 * countedShare(sums)).toFixed(2)}%`]
}
