import type { MonthEntry, MonthFinding, MonthGeneration } from '#contract/models'
import { isMonthClosing } from '#contract/validators/month-closing'
import { isMonthEntry } from '#contract/validators/month-entry'
import { isMonthOpening } from '#contract/validators/month-opening'
import { costMicros } from '../metering/price.ts'
import type { Totals } from './months.ts'

/** Where a workspace's ledger stands. */
interface Stand {
  readonly number: number
  readonly balanceMicros: number
}

/** What is known beyond one month: of workspaces that were seen, and of corrections that were not refunded yet. */
export interface Chain {
  readonly stands: Map<string, Stand>
  /** By the id of the generation, what is to be refunded. */
  readonly refunds: Map<string, number>
  /** The chain begins with the first month of all: whoever was not seen yet has nothing. */
  readonly isWhole: boolean
}

/** Holds the lines of one month against each other (CRED-46). */
export interface Auditor {
  /** Takes the next line. */
  take(line: string): void
  /** Called behind the last one. */
  end(): Totals & { readonly workspaces: bigint }
}

/** What is wrong, without the month. */
export type Tell = (subject: MonthFinding['subject'], problem: MonthFinding['problem']) => void

/** Makes the auditor of one month; months that are handed the same chain have to fit together. */
export function createAuditor(chain: Chain, tell: Tell): Auditor {
  let workspaceId = ''
  let stand: Stand | undefined
  let isOpen = false
  let workspaces = 0n
  const totals = { ledgerRows: 0n, generations: 0n, corrections: 0n, amountMicros: 0n }

  function open(id: string, { number, balance_micros: balanceMicros }: WireStand): void {
    if (isOpen) tell(workspaceId, 'its rows have no end')
    if (id <= workspaceId) tell(id, 'it stands behind a later workspace, or twice')
    const before = chain.stands.get(id) ?? (chain.isWhole ? { number: 0, balanceMicros: 0 } : undefined)
    if (before && (before.number !== number || before.balanceMicros !== balanceMicros)) {
      tell(
        id,
        `it begins at row ${number} with ${balanceMicros}, not at row ${before.number} with ${before.balanceMicros}`,
      )
    }
    workspaceId = id
    stand = { number, balanceMicros }
    isOpen = true
    workspaces++
  }

  function enter(entry: MonthEntry): void {
    const { number, amount_micros: amount, balance_after_micros: after, generation } = entry
    if (!isOpen || entry.workspace_id !== workspaceId) tell(entry.id, 'it stands below another workspace')
    if (stand && number !== stand.number + 1) tell(entry.id, `it is row ${number}, not ${stand.number + 1}`)
    if (stand && after !== stand.balanceMicros + amount) {
      tell(entry.id, `the balance is ${after} behind it, not ${stand.balanceMicros + amount}`)
    }
    stand = { number, balanceMicros: after }
    totals.ledgerRows++
    totals.amountMicros += BigInt(amount)
    if (entry.kind === 'generation') debit(entry, generation)
    else if (generation) tell(entry.id, 'it is no debit and has a record')
    if (entry.idempotency_key.startsWith('withheld:')) refund(entry)
  }

  function debit(
    { id, amount_micros: amount, idempotency_key: key }: MonthEntry,
    record: MonthGeneration | null,
  ): void {
    if (!record) {
      tell(id, 'it is a debit without a record')
      return
    }
    totals.generations++
    if (key !== `generation:${record.id}`) tell(id, `it is the debit of ${key}, not of ${record.id}`)
    if (amount !== -record.cost_micros)
      tell(id, `it takes ${-amount}, the record costs ${record.cost_micros}`)
    const { correction } = record
    if (costOf(record, record.completion_tokens) !== record.cost_micros) tell(record.id, COST)
    if (!correction) return
    totals.corrections++
    if (costOf(record, correction.completion_tokens) !== correction.cost_micros) tell(record.id, COST)
    const due = record.cost_micros - correction.cost_micros
    if (due !== 0) chain.refunds.set(record.id, due)
  }

  function refund({ id, amount_micros: amount, idempotency_key: key }: MonthEntry): void {
    const generationId = key.slice('withheld:'.length)
    const due = chain.refunds.get(generationId)
    if (due === undefined ? chain.isWhole : due !== amount) {
      tell(id, `it gives back ${amount} for ${generationId}, whose correction says ${due ?? 'nothing'}`)
    }
    chain.refunds.delete(generationId)
  }

  function close(id: string, { number, balance_micros: balanceMicros }: WireStand): void {
    if (!isOpen || id !== workspaceId) tell(id, 'it ends and has not begun')
    else if (stand?.number !== number || stand.balanceMicros !== balanceMicros) {
      tell(
        id,
        `it ends at row ${number} with ${balanceMicros}, not at row ${stand?.number} with ${stand?.balanceMicros}`,
      )
    }
    chain.stands.set(id, { number, balanceMicros })
    isOpen = false
  }

  return {
    take(line) {
      const value = parse(line)
      if (!hasSafeNumbers(value))
        tell(workspaceId, 'a line is no JSON, or has a number beyond what it holds exactly')
      else if (isMonthEntry(value)) enter(value)
      else if (isMonthOpening(value)) open(value.workspace_id, value.opening)
      else if (isMonthClosing(value)) close(value.workspace_id, value.closing)
      else tell(workspaceId, 'a line is none of this form')
    },
    end() {
      if (isOpen) tell(workspaceId, 'its rows have no end')
      return { ...totals, workspaces }
    },
  }
}

const COST = 'its cost is not that of its tokens and prices'

interface WireStand {
  readonly number: number
  readonly balance_micros: number
}

function costOf(record: MonthGeneration, completionTokens: number): number {
  const { prompt_tokens: promptTokens, prompt_price_micros: promptMicros } = record
  const { completion_price_micros: completionMicros } = record
  return costMicros({ promptTokens, completionTokens }, { promptMicros, completionMicros })
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function hasSafeNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isSafeInteger(value)
  if (typeof value === 'object' && value !== null) return Object.values(value).every(hasSafeNumbers)
  return value !== undefined
}
