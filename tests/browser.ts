import type { Service } from './service.ts'

/** What a browser's call came to. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects.
  readonly body: any
}

/** A browser that has the console's page open, with cookies of its own. */
export interface Browser {
  readonly cookies: Map<string, string>
  /** Calls the console's API; changes are sent with the page's own origin unless `headers` say otherwise. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Asks for a code and reads it in the outbox. */
  askCode(email: string): Promise<string>
  /** Signs in with a code of its own. */
  signIn(email: string, more?: Readonly<Record<string, unknown>>): Promise<Answer>
}

/** Opens a browser; with a source address where the router trusts what it is told of it. */
export function openBrowser(
  { consoleUrl, outboxUrl }: Pick<Service, 'consoleUrl' | 'outboxUrl'>,
  source?: string,
): Browser {
  const cookies = new Map<string, string>()

  async function call(method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
    const response = await fetch(`${consoleUrl}/console/api${path}`, {
      method,
      headers: {
        ...(cookies.size > 0 && { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
        ...(source !== undefined && { 'x-forwarded-for': source }),
        ...(method !== 'GET' && { origin: consoleUrl }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    for (const cookie of response.headers.getSetCookie()) keep(cookie)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
  }

  function keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
    if (/Max-Age=0\b/.test(cookie)) cookies.delete(name)
    else cookies.set(name, value)
  }

  async function askCode(email: string): Promise<string> {
    const before = (await mailsTo(outboxUrl, email))[0]?.id ?? 0
    const { status } = await call('POST', '/sign-in/codes', { email })
    if (status !== 202) throw new Error(`asking for a code: ${status}`)
    for (;;) {
      const [newest] = await mailsTo(outboxUrl, email)
      if (newest && newest.id > before) return /^\d{6}$/m.exec(newest.text)![0]
    }
  }

  return {
    cookies,
    call,
    askCode,
    signIn: async (email, more = {}) =>
      call('POST', '/sign-in', { email, code: await askCode(email), ...more }),
  }
}

/** A mail that the outbox shows. */
interface ShownMail {
  readonly id: number
  readonly to: readonly string[]
  readonly text: string
}

/** Mails of the outbox to one address, the newest first. */
export async function mailsTo(outboxUrl: string, email: string): Promise<readonly ShownMail[]> {
  const { data } = (await (await fetch(`${outboxUrl}/mails`)).json()) as { data: readonly ShownMail[] }
  return data.filter(({ to }) => to.includes(email.toLowerCase()))
}
