import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'
import type { Budget } from '../limits/budget.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import type { Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'
import { askForCode, findCodeState } from './ask-code.ts'
import type { CodePost } from './code-post.ts'
import { readCookie, writeCookie } from './cookies.ts'
import type { Digests } from './digests.ts'
import { type EmailAddress, parseEmailAddress } from './email-address.ts'
import type { ConsoleHandler } from './handlers.ts'
import { toMe } from './me.ts'
import { signIn as enter } from './sign-in.ts'

/** What signing in needs from the rest of the router. */
export interface SignInWorld {
  readonly sql: Sql
  readonly digests: Digests
  readonly post: CodePost
  /** Of requests for codes and of tries, each by source address (LIM-35). */
  readonly budgets: { readonly codes: Budget; readonly tries: Budget }
  readonly sourceAddressOf: SourceAddressOf
  readonly isAdministrator: (email: EmailAddress) => boolean
  readonly isHttps: boolean
  /** Where the router's API is, with `/v1`. */
  readonly baseUrl: string
}

/** `POST /sign-in/codes`: the same answer for every address; the mail goes after it (CONS-23, CONS-38). */
export function askSignInCode(world: SignInWorld): ConsoleHandler<'askSignInCode'> {
  const { digests, post, budgets, isHttps } = world
  return async ({ incoming, body, change }) => {
    const source = takeFrom(budgets.codes, world, incoming)
    const email = emailOf(body)
    const browser = readCookie(incoming, 'browser', isHttps, digests) ?? digests.createToken('browser')
    const asked = await change((transaction) => askForCode(transaction, digests, { email, browser, source }))
    post.post(email, asked)
    return {
      status: 202,
      headers: { 'Set-Cookie': writeCookie('browser', browser, isHttps) },
      body: { expires_at: asked.expiresAt.toISOString() },
    }
  }
}

/** `GET /sign-in/codes/current`: what became of this browser's mail (CONS-39). */
export function getSignInCode({ sql, digests, isHttps }: SignInWorld): ConsoleHandler<'getSignInCode'> {
  return async ({ incoming }) => {
    const browser = readCookie(incoming, 'browser', isHttps, digests)
    const found = browser && (await outlast(() => findCodeState(sql, digests, browser)))
    if (!found) throw new ApiError('not_found', 'This browser has asked for no code, or it is too old.')
    return { status: 200, body: { state: found.mail, expires_at: found.expiresAt.toISOString() } }
  }
}

/** `POST /sign-in`: signs in, or signs up (CONS-27). */
export function signIn(world: SignInWorld): ConsoleHandler<'signIn'> {
  const { digests, budgets, isAdministrator, isHttps, baseUrl } = world
  return async ({ incoming, body, change }) => {
    const source = takeFrom(budgets.tries, world, incoming)
    const email = emailOf(body)
    const request = {
      email,
      code: body.code,
      browser: readCookie(incoming, 'browser', isHttps, digests),
      source,
      invitation: body.invitation,
      workspaceName: body.workspace_name,
      sessionToken: readCookie(incoming, 'session', isHttps, digests),
      userAgent: incoming.headers['user-agent'],
    }
    const entered = await change((transaction) => enter(transaction, digests, request))
    if (!entered) {
      const message =
        'The code is wrong, used up or too old, or another browser asked for it. Ask for a new one.'
      throw new ApiError('invalid_code', message, { param: 'code' })
    }
    const { account, isNew, grant, sessionToken } = entered
    const { id: accountId } = account
    return {
      status: 200,
      headers: { 'Set-Cookie': writeCookie('session', sessionToken, isHttps) },
      body: {
        created: isNew,
        granted_micros: grant ? Number(grant.grantMicros) : null,
        me: toMe({ ...account, accountId, isAdministrator: isAdministrator(email), baseUrl }),
      },
    }
  }
}

function takeFrom(budget: Budget, { sourceAddressOf }: SignInWorld, incoming: IncomingMessage): string {
  const source = sourceAddressOf(incoming)
  budget.take(source)
  return source
}

function emailOf({ email: typed }: { readonly email: string }): EmailAddress {
  const email = parseEmailAddress(typed)
  if (email === undefined) {
    throw new ApiError('unsupported_parameter', 'email is no address that mail reaches.', { param: 'email' })
  }
  return email
}
