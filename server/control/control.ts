import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { messageOf } from '#base/thrown.ts'
import type { ControlOperation } from '#contract/control'
import type { Validator } from '#contract/validator'
import { isBooksCommand } from '#contract/validators/books-command'
import { isCreateKeyCommand } from '#contract/validators/create-key-command'
import { isCreateWorkspaceCommand } from '#contract/validators/create-workspace-command'
import { isEmptyCommand } from '#contract/validators/empty-command'
import { isIssueInvitationCommand } from '#contract/validators/issue-invitation-command'
import { isPublishEvidenceCommand } from '#contract/validators/publish-evidence-command'
import { isRedeemInvitationCommand } from '#contract/validators/redeem-invitation-command'
import { isRegisterUpstreamCommand } from '#contract/validators/register-upstream-command'
import { isRevokeKeyCommand } from '#contract/validators/revoke-key-command'
import { isSetBalanceCommand } from '#contract/validators/set-balance-command'
import { isSetVerdictCommand } from '#contract/validators/set-verdict-command'
import { isUpdateKeyCommand } from '#contract/validators/update-key-command'
import { isWithdrawInvitationCommand } from '#contract/validators/withdraw-invitation-command'
import { isLoopback } from '../config/loopback.ts'
import type { Listen } from '../config/router.ts'
import { listen } from '../listen.ts'
import { provingLedger, readingBooks, readingDebits } from './books.ts'
import { type EvidenceControl, publishingEvidence } from './evidence.ts'
import { ControlError, type ControlHandlers } from './handlers.ts'
import { issuingInvitations, redeemingInvitations, withdrawingInvitations } from './invitations.ts'
import { creatingKeys, revokingKeys, updatingKeys } from './keys.ts'
import { type LimitsControl, tellingLostLimits } from './limits.ts'
import { registeringUpstreams, settingVerdicts, type UpstreamControl } from './upstreams.ts'
import { creatingWorkspaces, settingBalances } from './workspaces.ts'

/** A running control service. */
export interface Control {
  readonly port: number
  stop(): Promise<void>
}

/** What is controlled, and from where. */
export interface ControlWorld extends UpstreamControl, EvidenceControl, LimitsControl {
  readonly address: Listen
}

/** What each request has to look like. */
const commands: { readonly [Op in keyof ControlHandlers]: Validator } = {
  createWorkspace: isCreateWorkspaceCommand,
  setBalance: isSetBalanceCommand,
  createKey: isCreateKeyCommand,
  updateKey: isUpdateKeyCommand,
  revokeKey: isRevokeKeyCommand,
  issueInvitation: isIssueInvitationCommand,
  withdrawInvitation: isWithdrawInvitationCommand,
  redeemInvitation: isRedeemInvitationCommand,
  debits: isBooksCommand,
  books: isBooksCommand,
  verifyLedger: isEmptyCommand,
  lostLimits: isEmptyCommand,
  registerUpstream: isRegisterUpstreamCommand,
  setVerdict: isSetVerdictCommand,
  publishEvidence: isPublishEvidenceCommand,
}

/**
 * Starts the control service of spec/control.tsp, for tests alone: whoever reaches it owns every balance. It listens
 * on loopback or not at all.
 */
export async function startControl(world: ControlWorld): Promise<Control> {
  const { sql, address } = world
  if (!isLoopback(address.host))
    throw new Error(`testControl.host ${address.host} is not a loopback address.`)
  const handlers: ControlHandlers = {
    createWorkspace: creatingWorkspaces(sql),
    setBalance: settingBalances(sql),
    createKey: creatingKeys(sql),
    updateKey: updatingKeys(sql),
    revokeKey: revokingKeys(sql),
    issueInvitation: issuingInvitations(sql),
    withdrawInvitation: withdrawingInvitations(sql),
    redeemInvitation: redeemingInvitations(sql),
    debits: readingDebits(sql),
    books: readingBooks(sql),
    verifyLedger: provingLedger(sql),
    lostLimits: tellingLostLimits(world),
    registerUpstream: registeringUpstreams(world),
    setVerdict: settingVerdicts(world),
    publishEvidence: publishingEvidence(world),
  }
  const server = createServer((incoming, response) => {
    perform(handlers, incoming).then(
      (answer) => send(response, 200, answer),
      (error: unknown) => send(response, error instanceof ControlError ? 400 : 500, problemOf(error)),
    )
  })
  const port = await listen(server, address, 'testControl')
  return { port, stop: () => close(server) }
}

async function perform(handlers: ControlHandlers, incoming: IncomingMessage): Promise<unknown> {
  const operation = (incoming.url ?? '').slice(1)
  if (!isServed(handlers, operation)) throw new ControlError(`${operation} is not offered here.`)
  // A page in a browser of this machine must not be able to ask.
  if (incoming.method !== 'POST' || incoming.headers.origin !== undefined) {
    throw new ControlError('Operations are POST requests of programs.')
  }
  const request = parse(await text(incoming))
  const validate = commands[operation]
  if (!validate(request)) {
    const [first] = validate.errors ?? []
    throw new ControlError(`${first?.instancePath || 'The request'} ${first?.message}.`)
  }
  return (handlers[operation] as (request: unknown) => Promise<unknown>)(request)
}

function isServed(handlers: ControlHandlers, name: string): name is keyof ControlHandlers & ControlOperation {
  return Object.hasOwn(handlers, name)
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch (cause) {
    throw new ControlError('The request is not JSON.', { cause })
  }
}

function problemOf(error: unknown): { error: { message: string } } {
  return { error: { message: messageOf(error) } }
}

function send(response: ServerResponse, status: number, answer: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(answer))
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
