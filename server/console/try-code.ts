import { limits } from '#contract/limits'
import type { Queryable } from '../store/connection.ts'
import { type Digests, isSameDigest } from './digests.ts'
import type { EmailAddress } from './email-address.ts'

const MS_PER_SECOND = 1_000

/** Somebody who shows a code. */
export interface CodeTry {
  readonly email: EmailAddress
  readonly code: string
  /** The token of the browser that shows it; undefined when it has none, and then it has asked for no code. */
  readonly browser: string | undefined
  readonly source: string
}

/**
 * Uses a code up. False when it is wrong, void, over or another browser's: nobody is told which. The row stays locked
 * until the transaction ends, so that of two who show the same code at once one signs in (CONS-24).
 */
export async function useCode(sql: Queryable, digests: Digests, attempt: CodeTry): Promise<boolean> {
  const { email, code, browser = '', source } = attempt
  const browserHash = digests.browser(browser)
  const [row] = await sql<{ address_hash: Buffer; code_hash: Buffer }[]>`
    update sign_in_codes set tries_left = tries_left - 1
    where browser_hash = ${browserHash} and tries_left > 0 and expires_at > clock_timestamp()
    returning address_hash, code_hash`
  if (!row) return false
  if (isSameDigest(row.code_hash, digests.code(code, browser, email))) {
    await sql`delete from sign_in_codes where browser_hash = ${browserHash}`
    return true
  }
  await sql`
    insert into sign_in_events (kind, address_hash, asker_hash)
    select 'wrong', ${row.address_hash}::bytea, case when exists (
      select from known_browsers
      where browser_hash = ${browserHash} and address_hash = ${row.address_hash} and until > clock_timestamp()
    ) then ${browserHash}::bytea else ${digests.source(source)}::bytea end`
  return false
}

/** Remembers that the owner of an address has signed in with this browser. */
export async function rememberBrowser(
  sql: Queryable,
  digests: Digests,
  { browser = '', email }: Pick<CodeTry, 'browser' | 'email'>,
): Promise<void> {
  await sql`
    insert into known_browsers (browser_hash, address_hash, until)
    values (
      ${digests.browser(browser)}, ${digests.address(email)},
      clock_timestamp() + ${limits.knownBrowserMs / MS_PER_SECOND} * interval '1 second'
    )
    on conflict (browser_hash, address_hash) do update set until = excluded.until`
}
