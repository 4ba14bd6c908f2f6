import { AttestationError } from '#attestation'
import { shorten } from '#base/foreign-text.ts'
import { type OutputOptions, print } from '#base/print.ts'
import type { Generation, ReconciliationOutput } from '#contract/models'
import { isGenerationResult } from '#contract/validators/generation-result'
import { isModelList } from '#contract/validators/model-list'
import type { LineOf } from '../journal/line.ts'
import { examineJournal, findDamage } from '../journal/verify.ts'
import { type AttestedRouter, apiKeyFrom, codeIn, openRouter } from './attested.ts'
import { type ConfiguredOptions, chooseEndpoint, journalOf } from './configured.ts'
import { compareGeneration, type Difference, type Price } from './reconcile-compare.ts'
import { printRefusal } from './refused.ts'
import { parseTime } from './usage.ts'

/** What `proxy reconcile` takes. */
export interface ReconcileOptions extends OutputOptions, ConfiguredOptions {
  readonly apiKeyEnv: string
  readonly since?: string
}

type Seen = LineOf<'generation'>

const DIFFERENT = 1

/** How many records are asked for at a time (ours). */
const AT_ONCE = 8

/** `proxy reconcile`: holds every generation of the journal against the router's record and ledger row (PRXY-21). */
export async function reconcile(options: ReconcileOptions): Promise<number> {
  const since = options.since === undefined ? undefined : parseTime('--since', options.since)
  const apiKey = apiKeyFrom(options.apiKeyEnv)
  const { config, endpoint } = chooseEndpoint(options)
  const seen = await generationsOf(journalOf(config, options.config), endpoint.name, since)
  const router = openRouter(config, endpoint, apiKey)
  try {
    const found = await compareAll(seen, router)
    const document = { ok: found.differences.length === 0, endpoint: endpoint.name, ...found }
    print(options, document, inWords(document))
    return document.ok ? 0 : DIFFERENT
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    return printRefusal(options, endpoint.name, `Not compared, as ${endpoint.name} is not admitted:`, thrown)
  } finally {
    await router.close()
  }
}

async function generationsOf(file: string, endpoint: string, since: Date | undefined): Promise<Seen[]> {
  const seen: Seen[] = []
  const examined = await examineJournal(file, {
    onLine(line) {
      if (line.kind !== 'generation' || line.endpoint !== endpoint) return
      if (since === undefined || new Date(line.time) >= since) seen.push(line)
    },
  })
  const fault = findDamage(examined)
  if (fault === undefined) return seen
  throw new Error(
    `The journal ${file} does not hold, and nothing can be compared with it: ${fault.message} \`proxy journal verify\` tells more.`,
  )
}

type Findings = Omit<ReconciliationOutput, 'ok' | 'endpoint'>

async function compareAll(seen: readonly Seen[], router: AttestedRouter): Promise<Findings> {
  const prices = await pricesOf(router)
  const differences: Difference[][] = seen.map(() => [])
  const rows = new Map<string, string>()
  let next = 0
  let recorded = 0
  let unseen = 0
  let cost = 0n
  const work = async (): Promise<void> => {
    for (let index = next++; index < seen.length; index = next++) {
      const line = seen[index]!
      const record = await findRecord(router, line.id)
      const price = prices.get(record?.model ?? line.model ?? '')
      differences[index] = compareGeneration(line, { record, price })
      if (line.cost_micros === null) unseen += 1
      if (record === undefined) continue
      recorded += 1
      cost += BigInt(record.cost_micros)
      const other = rows.get(record.ledger.id)
      rows.set(record.ledger.id, line.id)
      if (other !== undefined && other !== line.id) {
        differences[index]?.push({ generation: line.id, check: 'ledger_row', expected: null, actual: other })
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return {
    generations: seen.length,
    recorded,
    unseen_usage: unseen,
    cost_micros: Number(cost),
    differences: differences.flat(),
  }
}

async function pricesOf(router: AttestedRouter): Promise<ReadonlyMap<string, Price>> {
  const { status, body } = await router.get('/models')
  if (status !== 200 || !isModelList(body)) throw unexpected('its models', status, body)
  return new Map(
    body.data.map(({ id, pricing }) => [
      id,
      { promptMicros: pricing.prompt_per_1m_micros, completionMicros: pricing.completion_per_1m_micros },
    ]),
  )
}

/** The router's record of a generation; undefined when the key's workspace has none. */
export async function findRecord(router: AttestedRouter, id: string): Promise<Generation | undefined> {
  const { status, body } = await router.get(`/generation?id=${id}`)
  if (status === 404) return undefined
  if (status === 200 && isGenerationResult(body) && body.data.id === id) return body.data
  throw unexpected(id, status, body)
}

function unexpected(what: string, status: number, body: unknown): Error {
  const hint = status === 401 ? ' Is the key in --api-key-env one of this router?' : ''
  return new Error(`The router answered ${status} (${codeIn(body)}) when it was asked for ${what}.${hint}`)
}

function inWords(found: ReconciliationOutput): string[] {
  const { endpoint, generations, recorded, unseen_usage, cost_micros, differences } = found
  const unseen =
    unseen_usage === 0
      ? []
      : [
          `Of ${unseen_usage} the proxy saw no usage, because the client did not ask for it or left; their records were held against the price alone.`,
        ]
  return [
    `${endpoint}: ${generations} generations in the journal, ${recorded} records, ${cost_micros} micro-dollars in all.`,
    ...unseen,
    ...(differences.length === 0
      ? ['Everything is equal.']
      : differences.map(
          ({ generation, check, expected, actual }) =>
            `${generation}  ${check}: ${explanations[check]} Expected ${shorten(expected ?? 'nothing')}, found ${shorten(actual ?? 'nothing')}.`,
        )),
  ]
}

const explanations: Readonly<Record<Difference['check'], string>> = {
  missing_record: 'The key’s workspace has no such record; another workspace’s key may have paid.',
  answer_price: 'The answer’s cost is not that of its tokens at the price of today.',
  record_price: 'The record’s cost is not that of its tokens at the price of today.',
  no_price: 'The router lists no such model any more, so that no price could be looked up.',
  prompt_tokens: 'Answer and record name different prompt tokens.',
  completion_tokens: 'Answer and record name different completion tokens.',
  cost_micros: 'Answer and record name different costs.',
  model: 'Answer and record name different models.',
  endpoint: 'Answer and record name different endpoints.',
  evidence_digest: 'Answer and record name different digests.',
  ledger_amount: 'The ledger row does not take what the record costs.',
  ledger_row: 'Another generation names the same ledger row.',
}
