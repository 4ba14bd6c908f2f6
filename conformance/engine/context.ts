import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlBooks, ControlDebits } from '#contract/models'
import type { OperationId } from '#contract/routes'
import type { Account, AccountSettings, Accounts } from './accounts.ts'
import * as assert from './assert.ts'
import type { Backend } from './backend.ts'
import { hold, shownRules } from './checks.ts'
import type { Client, Request } from './client.ts'
import { askControl, type Hooks } from './hooks.ts'
import type { Call } from './http/call.ts'
import type { Exchange } from './http/exchange.ts'
import type { Random } from './random.ts'
import { type RequestOptions, toRequest, usualBody } from './requests.ts'
import type { FixtureKey, HookName, ModelName, Subject, Target } from './target.ts'
import { brokenInPlace } from './turned-away.ts'
import { type WireHandle, wireAt } from './wire.ts'

/** Names of the target's wires. */
export type WireName = Extract<HookName, `${string}Wire`>

/** The world of one scenario at one subject: a workspace, a key and a nonce of its own. */
export interface ContextParts {
  readonly subject: Subject
  readonly target: Target
  readonly client: Client
  /** Speaks to the platform; undefined without one. */
  readonly platform: Client | undefined
  readonly accounts: Accounts
  readonly backend: Backend
  readonly hooks: Hooks
  readonly random: Random
  readonly nonce: string
  /** Hears what no report may show. */
  readonly tellSecret: (secret: string) => void
}

/** What a scenario works with. */
export class Context {
  readonly subject: Subject
  readonly target: Target
  readonly client: Client
  readonly accounts: Accounts
  readonly hooks: Hooks
  readonly random: Random
  readonly tellSecret: (secret: string) => void
  readonly #platform: Client | undefined
  /** Stands in every prompt of this scenario and nowhere else. */
  readonly nonce: string
  readonly #backend: Backend
  /** What was noticed that breaks no rule. */
  readonly warnings: string[] = []
  #own: Promise<Account> | undefined
  #isScripted = false

  constructor(parts: ContextParts) {
    const { subject, target, client, platform, accounts, backend, hooks, random, nonce, tellSecret } = parts
    this.subject = subject
    this.target = target
    this.client = client
    this.accounts = accounts
    this.hooks = hooks
    this.random = random
    this.nonce = nonce
    this.tellSecret = tellSecret
    this.#platform = platform
    this.#backend = backend
  }

  /** Notices something that breaks no rule: a scenario that passes otherwise is a warning then. */
  warn(problem: string): void {
    this.warnings.push(problem)
  }

  /** The text of every prompt. */
  get prompt(): string {
    return this.#isScripted ? `Hello [script:${this.nonce}]` : `Hello ${this.nonce}`
  }

  /** The workspace and key that requests are made with; what is special about it is said at the first call. */
  own(settings?: AccountSettings): Promise<Account> {
    this.#own ??= this.accounts.open(settings)
    return this.#own
  }

  /** The id of one of the target's models. */
  model(name: ModelName = 'chat'): string {
    return this.target.models[name] ?? `${name} is missing`
  }

  fixture(name: FixtureKey): Promise<Account> {
    return this.accounts.fixture(name)
  }

  /** Makes a request to its end. */
  async request(operation: OperationId, options: RequestOptions = {}): Promise<Exchange> {
    return this.client.send(await this.#toRequest(operation, options))
  }

  /** Begins a request. */
  async open(operation: OperationId, options: RequestOptions = {}): Promise<Call> {
    return this.client.open(await this.#toRequest(operation, options))
  }

  /** Makes a chat request to its end; the members are put over the usual body. */
  chat(body: Readonly<Record<string, unknown>> = {}, options: RequestOptions = {}): Promise<Exchange> {
    return this.request('createChatCompletion', { ...options, body })
  }

  /** Begins a streamed chat. */
  stream(body: Readonly<Record<string, unknown>> = {}, options: RequestOptions = {}): Promise<Call> {
    return this.open('createChatCompletion', { ...options, body: { stream: true, ...body } })
  }

  /** The usual body of an inference request; undefined for any other. */
  bodyFor(operation: OperationId): Readonly<Record<string, unknown>> | undefined {
    return usualBody(operation, { prompt: this.prompt, model: (name) => this.model(name) })
  }

  /** How the backend answers from now on. */
  async script(rule: object): Promise<void> {
    await this.#backend.script(withWholeTimes(rule))
    this.#isScripted = true
  }

  /** What the backend received of this scenario. */
  received(): ReturnType<Backend['received']> {
    return this.#backend.received()
  }

  /** What is booked of the scenario's workspace. */
  async books(account?: Account): Promise<ControlBooks> {
    return this.accounts.books(account ?? (await this.own()))
  }

  /** What given rules speak of in the books of the scenario's workspace. */
  async debits(account?: Account): Promise<ControlDebits> {
    return this.accounts.debits(account ?? (await this.own()))
  }

  /** The bundle at its source. */
  async published(): Promise<Exchange> {
    assert.ok(this.#platform, 'there is no platform')
    return this.#platform.send({ operation: 'getPlatformEvidence' })
  }

  /** Tells the platform to do something: `/rotate/leaf`, `/hold`; see platform/README.md. */
  async control(path: string, body?: object): Promise<void> {
    await askControl(`${this.target.hooks.platformControl?.url}${path}`, body)
  }

  /** One of the target's wires. */
  wire(name: WireName): WireHandle {
    return wireAt(this.target.hooks[name]?.url)
  }

  /** Tells whoever runs the proxy to do something: `/restart`, `/advance` with `milliseconds` and perhaps a `clock`. */
  async proxyControl(path: string, body?: object): Promise<void> {
    await askControl(`${this.target.hooks.proxyControl?.url}${path}`, body)
  }

  /** Tells whoever runs the sibling to do something: `/stop`, `/start`, `/advance`. */
  async siblingControl(path: string, body?: object): Promise<void> {
    await askControl(`${this.target.hooks.siblingControl?.url}${path}`, body)
  }

  /**
   * The record of a generation as the key's workspace reads it. It is waited for: that it can be read at once is no given
   * rule (GEN-22), whose scenarios ask by themselves.
   */
  async record(id: string, account?: Account): Promise<Exchange> {
    const until = Date.now() + this.patience(RECORD_MS)
    for (;;) {
      const exchange = await this.request('getGeneration', { query: { id }, ...(account && { account }) })
      if (exchange.status !== 404 || Date.now() > until) return exchange
      await sleep(POLL_MS)
    }
  }

  /** Waits until something holds; a product that never gets there fails with what was found last. */
  async eventually<T>(
    what: string,
    look: () => Promise<T | undefined | false>,
    timeoutMs = 3_000,
  ): Promise<T> {
    const until = Date.now() + this.patience(timeoutMs)
    for (;;) {
      const found = await look()
      if (found !== undefined && found !== false) {
        hold()
        return found
      }
      if (Date.now() > until) this.#failInVain(`${what}: not within ${this.patience(timeoutMs)} ms`)
      await sleep(POLL_MS)
    }
  }

  /** Whoever was turned away waits in vain for what a generation brings with it. */
  #failInVain(problem: string): never {
    const asked = this.client.calls.findLast(({ exchange }) => exchange.sent.method === 'POST')
    const shown = shownRules()
    return assert.failAs(asked?.isOver ? brokenInPlace(asked.exchange, shown) : shown, problem)
  }

  /** An allowed time at this target. */
  readonly patience = (ms: number): number => ms * this.target.slack

  async #toRequest(operation: OperationId, options: RequestOptions): Promise<Request> {
    const { account, key } = options
    const sent = key === undefined ? (account ?? (await this.own())).key : key
    return toRequest(operation, this.bodyFor(operation), { ...options, key: sent })
  }
}

/** How long a record may take to be readable (ours). */
const RECORD_MS = 1_000

/** How often a condition is looked at (ours). */
const POLL_MS = 20

/** The backend takes whole milliseconds; scenarios reckon with parts of the target's limits. */
function withWholeTimes(rule: object): object {
  const entries = Object.entries(rule).map(([name, value]: [string, unknown]) => [
    name,
    name.endsWith('Ms') ? Math.round(Number(value)) : value,
  ])
  return Object.fromEntries(entries)
}
