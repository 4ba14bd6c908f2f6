import { randomBytes } from 'node:crypto'
import type { Received } from '../../conformance/stand-ins/backend/journal.ts'
import type { Rule } from '../../conformance/stand-ins/backend/script.ts'
import type { KeySettings } from '../../server/store/keys.ts'
import type { Act, Client } from './client.ts'
import type { Booked, Deployment, Place } from './deployment.ts'
import type { Sighting, Sightings } from './sightings.ts'

/** What all tests of a client share. */
export interface Bench {
  readonly client: Client
  readonly deployment: Deployment
  readonly sightings: Sightings
}

/** How a visit differs from the usual one. */
export interface VisitOptions {
  /** How the backend answers. */
  readonly rule?: Rule
  readonly key?: KeySettings
  readonly balanceMicros?: bigint
  readonly model?: string
  /** Comes with a key that nobody has. */
  readonly isKeyWrong?: boolean
}

/** One test's use of a client, with a workspace of its own. */
export interface Visit {
  /** Has the client do something; throws `Refused` when the client throws. */
  ask(act: Act): Promise<unknown>
  /** The requests that the place saw. */
  seen(): readonly Sighting[]
  /** The requests that the backend saw. */
  received(): readonly Received[]
  /** What was metered and debited, once nothing runs any more. */
  books(): Promise<readonly Booked[]>
  /** Cuts the connections of the place `severed`. */
  sever(): void
}

const FIVE_DOLLARS = 5_000_000n

/** Opens an account and has the backend know its prompts. */
export async function visit(bench: Bench, place: Place, options: VisitOptions): Promise<Visit> {
  const { client, deployment, sightings } = bench
  const { rule = {}, key = {}, balanceMicros = FIVE_DOLLARS, model = 'demo/tiny-chat' } = options
  const account = await deployment.createAccount(balanceMicros, key)
  const nobodys = `sk-tee-v1-${randomBytes(32).toString('base64url')}`
  const apiKey = options.isKeyWrong ? nobodys : account.apiKey
  const name = `visit-${randomBytes(8).toString('hex')}`
  await deployment.script(name, rule)
  const prompt = `What is the weather in Paris? [script:${name}]`
  const baseUrl = deployment.baseUrls[place]
  return {
    ask: (act) => client.ask(act, { baseUrl, apiKey, model, prompt }),
    seen: () => sightings.of(baseUrl, apiKey),
    received: () => deployment.backend.requests(name),
    books: () => deployment.booksOf(account),
    sever: deployment.sever,
  }
}
