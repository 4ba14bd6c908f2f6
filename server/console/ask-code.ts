import { randomInt } from 'node:crypto'
import { limits } from '#contract/limits'
import type { Queryable } from '../store/connection.ts'
import { inTransaction } from '../store/transaction.ts'
import { type Pressure, triesAllowed } from './allowance.ts'
import type { Digests } from './digests.ts'
import type { EmailAddress } from './email-address.ts'

/** Somebody who asks for a code. */
export interface CodeRequest {
  readonly email: EmailAddress
  /** The token of the browser that asks; the code works in no other. */
  readonly browser: string
  readonly source: string
}

/** A code that was asked for. */
export interface AskedCode {
  /** Six digits to be mailed; undefined when the address has had enough mails, which nobody is told. */
  readonly code: string | undefined
  readonly expiresAt: Date
  /**
   * Writes down what became of the mail. With one that failed the code is void (CONS-37), and it counts as none unless
   * somebody has tried the code, or asked for another: a mail server that is away must not make guesses free.
   */
  note(sql: Queryable, mail: 'sent' | 'failed'): Promise<void>
}

/** What became of the mail with a browser's newest code. */
export interface CodeState {
  readonly mail: 'waiting' | 'sent' | 'failed'
  readonly expiresAt: Date
}

const CODES = 10 ** limits.signInCodeDigits
const MS_PER_SECOND = 1_000

/** Draws a code, each as likely as any other. */
function createCode(): string {
  return String(randomInt(CODES)).padStart(limits.signInCodeDigits, '0')
}

/**
 * Keeps a new code in the place of the browser's older one. No account is looked for: an address that has one and an
 * address that has none meet the same statements (CONS-23).
 */
export async function askForCode(
  sql: Queryable,
  digests: Digests,
  { email, browser, source }: CodeRequest,
  draw: () => string = createCode,
): Promise<AskedCode> {
  const [address, browserHash] = [digests.address(email), digests.browser(browser)]
  return await inTransaction(sql, async (transaction) => {
    // Many who ask at once for one address are counted one behind the other; no mail is sent in here.
    await transaction`select pg_advisory_xact_lock(${address.readBigInt64BE()})`
    const [row] = await transaction<PressureRow[]>`
      with asker as (
        select count(*) > 0 as is_known from known_browsers
        where browser_hash = ${browserHash} and address_hash = ${address} and until > clock_timestamp()
      ), events as (
        select kind, at, asker_hash = case when is_known then ${browserHash}::bytea else ${digests.source(source)}::bytea end as own
        from sign_in_events, asker where address_hash = ${address} and at > clock_timestamp() - interval '1 day'
      )
      select
        is_known,
        count(*) filter (where kind = 'mail' and at > clock_timestamp() - interval '1 hour')::integer as mails,
        count(*) filter (where kind = 'mail' and at > clock_timestamp() - interval '1 hour' and own)::integer as mails_of_asker,
        count(*) filter (where kind = 'wrong')::integer as wrong,
        count(*) filter (where kind = 'wrong' and own)::integer as wrong_of_asker
      from asker left join events on true group by is_known`
    const pressure = toPressure(row!)
    const tries = triesAllowed(pressure)
    const code = draw()
    const asker = pressure.isKnown ? browserHash : digests.source(source)
    const [event] = await transaction<{ number: bigint }[]>`
      insert into sign_in_events (kind, address_hash, asker_hash)
      select 'mail', ${address}::bytea, ${asker}::bytea where ${tries > 0} returning number`
    const codeHash = digests.code(code, browser, email)
    const [kept] = await transaction<{ expires_at: Date }[]>`
      insert into sign_in_codes (browser_hash, address_hash, code_hash, tries_left, mail, expires_at)
      values (
        ${browserHash}, ${address}, ${codeHash}, ${tries}, ${event ? 'waiting' : 'sent'},
        clock_timestamp() + ${limits.signInCodeMs / MS_PER_SECOND} * interval '1 second'
      )
      on conflict (browser_hash) do update set address_hash = excluded.address_hash, code_hash = excluded.code_hash,
        tries_left = excluded.tries_left, mail = excluded.mail, expires_at = excluded.expires_at
      returning expires_at`
    return {
      code: event && code,
      expiresAt: kept!.expires_at,
      async note(sql, mail) {
        if (mail === 'sent' || !event) {
          await sql`
            update sign_in_codes set mail = ${mail} where browser_hash = ${browserHash} and code_hash = ${codeHash}`
          return
        }
        await sql`
          with asked as (
            select browser_hash, tries_left from sign_in_codes
            where browser_hash = ${browserHash} and code_hash = ${codeHash} for update
          ), voided as (
            update sign_in_codes c set mail = 'failed', tries_left = 0 from asked where c.browser_hash = asked.browser_hash
          )
          delete from sign_in_events
          where number = ${event.number} and exists (select from asked where tries_left = ${tries})`
      },
    }
  })
}

/** What became of the mail that a browser waits for; undefined when it has asked for none. */
export async function findCodeState(
  sql: Queryable,
  digests: Digests,
  browser: string,
): Promise<CodeState | undefined> {
  const [row] = await sql<{ mail: CodeState['mail']; expires_at: Date }[]>`
    select mail, expires_at from sign_in_codes
    where browser_hash = ${digests.browser(browser)} and expires_at > clock_timestamp()`
  return row && { mail: row.mail, expiresAt: row.expires_at }
}

interface PressureRow {
  readonly is_known: boolean
  readonly mails: number
  readonly mails_of_asker: number
  readonly wrong: number
  readonly wrong_of_asker: number
}

function toPressure(row: PressureRow): Pressure {
  return {
    mails: row.mails,
    mailsOfAsker: row.mails_of_asker,
    wrong: row.wrong,
    wrongOfAsker: row.wrong_of_asker,
    isKnown: row.is_known,
  }
}
