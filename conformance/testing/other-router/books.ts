import { randomBytes, randomUUID } from 'node:crypto'
import { ulid } from 'ulid'

/** Who pays, with all that is booked. */
export interface Workspace {
  readonly id: string
  balance: number
  readonly rows: { readonly amount: number; readonly generation: string | null; readonly name: string }[]
  readonly generations: Generation[]
  /** Generations that run. */
  running: number
}

/** A key and what it may do; undefined and null are no limit. */
export interface Key {
  readonly id: string
  readonly workspace: Workspace
  readonly name: string
  readonly secret: string
  readonly scope: readonly string[] | null | undefined
  readonly requestsPerMinute: number | null | undefined
  readonly tokensPerMinute: number | null | undefined
  readonly spendLimit: number | null | undefined
  readonly endsAt: number | null
  spent: number
  revokedAt: string | null
}

/** What is known of a generation that has ended. */
export interface Generation {
  readonly id: string
  readonly model: string
  readonly endpoint: string
  readonly digest: string | null
  readonly status: 'ok' | 'aborted'
  readonly prompt: number
  readonly completion: number
  readonly cost: number
  readonly beganMs: number
  readonly tookMs: number
}

/** The books of this router, in memory. */
export class Books {
  readonly workspaces = new Map<string, Workspace>()
  readonly keys = new Map<string, Key>()
  /** Whether they cannot be reached just now. */
  isAway = false

  takeAway(isAway: boolean): void {
    this.isAway = isAway
  }

  open(balance: number): Workspace {
    const id = randomUUID()
    const workspace: Workspace = { id, balance: 0, rows: [], generations: [], running: 0 }
    if (balance !== 0) move(workspace, balance, 'Paid in')
    this.workspaces.set(id, workspace)
    return workspace
  }

  addKey(workspace: Workspace, settings: Partial<Key> & { readonly name: string }): Key {
    const key: Key = {
      scope: undefined,
      requestsPerMinute: undefined,
      tokensPerMinute: undefined,
      spendLimit: undefined,
      endsAt: null,
      ...settings,
      id: randomUUID(),
      workspace,
      secret: `sk-tee-v1-${randomBytes(32).toString('base64url')}`,
      spent: 0,
      revokedAt: settings.revokedAt ?? null,
    }
    this.keys.set(key.secret, key)
    return key
  }

  keyById(id: string): Key | undefined {
    return [...this.keys.values()].find((key) => key.id === id)
  }

  /** Books a generation: its record, and its debit unless it cost nothing. */
  settle(key: Key, generation: Generation): void {
    key.workspace.generations.push(generation)
    key.spent += generation.cost
    if (generation.cost > 0) move(key.workspace, -generation.cost, 'Inference', generation.id)
  }
}

/** Moves a balance by one row. */
export function move(
  workspace: Workspace,
  amount: number,
  name: string,
  generation: string | null = null,
): void {
  workspace.balance += amount
  workspace.rows.push({ amount, generation, name })
}

/** A new id of a generation, in small letters. */
export function newGenerationId(): string {
  return `gen-${ulid().toLowerCase()}`
}
