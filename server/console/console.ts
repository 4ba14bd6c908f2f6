import type { Hono } from 'hono'
import { limits } from '#contract/limits'
import type { RouterEnvironment } from '../app.ts'
import type { BodyMemory } from '../bodies/body-memory.ts'
import type { ConsoleConfig } from '../config/console.ts'
import type { Help } from '../help.ts'
import type { Budget } from '../limits/budget.ts'
import type { BucketName } from '../limits/metrics.ts'
import type { SourceAddressOf } from '../limits/source-address.ts'
import type { Log } from '../log.ts'
import { createMailer } from '../mail/mailer.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Sql } from '../store/connection.ts'
import { outlast } from '../store/retry.ts'
import { createConsoleApp } from './app.ts'
import { createCodePost } from './code-post.ts'
import { createDigests } from './digests.ts'
import { type EmailAddress, parseEmailAddress } from './email-address.ts'
import type { ConsoleHandlers } from './handlers.ts'
import { getMe } from './me.ts'
import { deleteSession, endSession, listSessions } from './session-handlers.ts'
import { useSession } from './sessions.ts'
import { askSignInCode, getSignInCode, signIn } from './sign-in-handlers.ts'
import { startSweeping } from './sweep.ts'

/** Operations that are answered elsewhere than by sign-in and sessions, which are the console's own. */
type OwnOperation =
  | 'askSignInCode'
  | 'getSignInCode'
  | 'signIn'
  | 'getMe'
  | 'deleteSession'
  | 'listSessions'
  | 'endSession'

/** What a console needs from the rest of the router. */
export interface ConsoleWorld {
  readonly config: ConsoleConfig
  /** As the configuration in force has them (CONS-53). */
  readonly administrators: () => readonly string[]
  readonly publicBaseUrl: string
  readonly sql: Sql
  /** The deployment's secret. */
  readonly secret: () => Buffer
  readonly memory: () => Pick<BodyMemory, 'open'>
  readonly sourceAddressOf: SourceAddressOf
  readonly budgetOf: (bucket: BucketName, perMinute: number) => Budget
  readonly log: Log
  readonly help: Help
  /** Where development is told a code (CONS-34). */
  readonly tell?: ((line: string) => void) | undefined
  /** Everything else that the console answers: one file a resource. */
  readonly handlers: Omit<ConsoleHandlers, OwnOperation>
  /** Answers what is below `/console` and not the API's. */
  readonly page: Hono<RouterEnvironment>
}

/** A console that serves. */
export interface Console {
  readonly app: Hono<RouterEnvironment>
  /** Where caught mails are shown; undefined where mails are sent. */
  readonly outboxPort: number | undefined
  stop(): Promise<void>
}

/** Wires sign-in, sessions and mail, and mounts what else the console answers. */
export async function openConsole(world: ConsoleWorld): Promise<Console> {
  const { config, sql, sourceAddressOf, log, publicBaseUrl: baseUrl } = world
  const { publicUrl } = config
  const isHttps = publicUrl.startsWith('https:')
  const digests = createDigests(world.secret)
  const outbox = await openOutbox(world)
  const mailer = createMailer(outbox?.mail ?? config.mail!)
  const post = createCodePost({ sql, mailer, console: `${publicUrl}/console/`, log })
  const budgets = {
    codes: world.budgetOf('sign_in_codes', limits.signInCodesPerMinute),
    tries: world.budgetOf('sign_ins', limits.signInsPerMinute),
  }
  const isAdministrator = (email: EmailAddress) =>
    world.administrators().some((address) => parseEmailAddress(address) === email)
  const signInWorld = { sql, digests, post, budgets, sourceAddressOf, isAdministrator, isHttps, baseUrl }
  const own: Pick<ConsoleHandlers, OwnOperation> = {
    askSignInCode: askSignInCode(signInWorld),
    getSignInCode: getSignInCode(signInWorld),
    signIn: signIn(signInWorld),
    getMe: getMe(sql, baseUrl),
    deleteSession: deleteSession(isHttps),
    listSessions: listSessions(sql),
    endSession,
  }
  const sweeping = startSweeping(sql, log)
  return {
    app: createConsoleApp({
      handlers: { ...world.handlers, ...own },
      sql,
      async findPerson(token) {
        const open = await outlast(() => useSession(sql, digests, token))
        if (!open) return undefined
        const { session, account, hasRolled } = open
        const { id: accountId, email, workspaceId } = account
        const person = { sessionId: session.id, accountId, email, workspaceId }
        return { person: { ...person, isAdministrator: isAdministrator(email) }, hasRolled }
      },
      digests,
      calls: world.budgetOf('console', limits.consoleCallsPerMinute),
      publicUrl,
      memory: world.memory,
      sourceAddressOf,
      log,
      help: world.help,
      page: world.page,
    }),
    outboxPort: outbox?.port,
    async stop() {
      await Promise.all([sweeping.stop(), post.stop()])
      await outbox?.stop()
    },
  }
}

/** Only a configuration for development asks for this; its code is not even loaded otherwise (CONS-57). */
async function openOutbox({ config, log, tell }: ConsoleWorld): Promise<Outbox | undefined> {
  if (!config.outbox) return undefined
  const { openOutbox: open } = await import('../outbox/outbox.ts')
  const outbox = await open(config.outbox, ({ to, text }) => {
    tell?.(`Sign-in code for ${to.join(', ')}: ${/^\d+$/m.exec(text)?.[0] ?? 'none'}`)
  })
  const address = `http://${config.outbox.host}:${outbox.port}`
  log.warn('MAILS ARE SHOWN, NOT SENT: whoever reaches the outbox can sign in as anybody', { address })
  return outbox
}
