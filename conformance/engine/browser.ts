import { setTimeout as sleep } from 'node:timers/promises'
import { type ConsoleOperationId, consoleRoutes } from '#contract/console/routes'
import type { Request } from './client.ts'
import type { Context } from './context.ts'
import type { Call } from './http/call.ts'
import type { Exchange } from './http/exchange.ts'
import { addressFor } from './invitations.ts'

/** What differs from a usual call of the console's page. */
export interface BrowserOptions extends Pick<Request, 'params' | 'query' | 'headers'> {
  readonly body?: object
  /** In place of the console's own; null sends none. */
  readonly origin?: string | null
}

/** Somebody's browser at the console: it keeps cookies, says where a call comes from, and has an address of its own. */
export class Browser {
  /** The address that it comes from. */
  readonly source: string
  readonly cookies = new Map<string, string>()
  readonly context: Context

  constructor(context: Context, name = 'a browser') {
    this.context = context
    this.source = addressFor(`${context.nonce} ${name}`)
  }

  /**
   * Makes a call to its end, and keeps the cookies that are set. Whoever is told that the console cannot answer now, and to
   * try again, does so: a database that is slow beside a busy machine says nothing of what was asked.
   */
  async ask(operation: ConsoleOperationId, options: BrowserOptions = {}): Promise<Exchange> {
    for (let turn = 1; ; turn++) {
      const exchange = await this.open(operation, options).done
      this.#keep(exchange)
      if (turn === MOST_TURNS || !isToBeTriedAgain(exchange)) return exchange
      await sleep(PAUSE_MS)
    }
  }

  /** Begins a call; its cookies are not kept. */
  open(operation: ConsoleOperationId, { body, headers, origin, ...rest }: BrowserOptions = {}): Call {
    const { client, target } = this.context
    const own = new URL(target.consoleUrl ?? target.baseUrl).origin
    const isChange = consoleRoutes[operation].method !== 'get'
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return client.open({
      consoleOperation: operation,
      baseUrl: target.consoleUrl,
      ...rest,
      headers: {
        'x-forwarded-for': this.source,
        ...(cookie !== '' && { cookie }),
        ...(isChange && origin !== null && { origin: origin ?? own }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  #keep({ headers }: Exchange): void {
    for (const { name, value } of cookiesIn(headers['set-cookie'] ?? '')) {
      if (value === '') this.cookies.delete(name)
      else {
        this.cookies.set(name, value)
        this.context.tellSecret(value)
      }
    }
  }
}

/** How often a call is made, and the pause between (ours). */
const MOST_TURNS = 4
const PAUSE_MS = 1_000

function isToBeTriedAgain({ status, headers }: Exchange): boolean {
  return status === 503 && headers['x-should-retry'] === 'true'
}

/** A cookie as it is set. */
export interface SetCookie {
  readonly name: string
  readonly value: string
  /** What follows, in small letters: `httponly`, `max-age=60`. */
  readonly attributes: readonly string[]
}

/** The cookies of a `Set-Cookie`, repeated ones joined by a comma; a comma within a date parts nothing. */
export function cookiesIn(header: string): readonly SetCookie[] {
  return header.split(/,\s*(?=[^\s;,=]+=)/).flatMap((text) => {
    const [pair = '', ...attributes] = text.split(';').map((part) => part.trim())
    const at = pair.indexOf('=')
    if (at < 1) return []
    const lower = attributes.map((one) => one.toLowerCase())
    return [{ name: pair.slice(0, at), value: pair.slice(at + 1), attributes: lower }]
  })
}
