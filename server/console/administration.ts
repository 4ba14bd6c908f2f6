import { listingAudit } from './admin-audit.ts'
import { diffingUpstreams } from './admin-diff.ts'
import { issuingInvitations, listingInvitations, withdrawingInvitations } from './admin-invitations.ts'
import {
  attestingUpstreams,
  changingPins,
  gettingUpstream,
  listingEvents,
  listingUpstreams,
  registeringUpstreams,
  type UpstreamsAdministration,
  updatingUpstreams,
} from './admin-upstreams.ts'
import { creditingWorkspaces, gettingWorkspace, listingWorkspaces } from './admin-workspaces.ts'
import type { ConsoleHandlers } from './handlers.ts'

/** What administrators see and do (CONS-33); the frame lets nobody else come so far. */
export function administrationHandlers(world: UpstreamsAdministration) {
  const { sql } = world
  return {
    listUpstreams: listingUpstreams(world),
    registerUpstream: registeringUpstreams(world),
    getUpstream: gettingUpstream(world),
    updateUpstream: updatingUpstreams(world),
    attestUpstream: attestingUpstreams(world),
    diffUpstream: diffingUpstreams(sql),
    changePins: changingPins(world),
    listUpstreamEvents: listingEvents(sql),
    listInvitations: listingInvitations(sql),
    issueInvitation: issuingInvitations(sql),
    withdrawInvitation: withdrawingInvitations(sql),
    listWorkspaces: listingWorkspaces(sql),
    getWorkspace: gettingWorkspace(sql),
    creditWorkspace: creditingWorkspaces(sql),
    listAudit: listingAudit(sql),
  } satisfies Partial<ConsoleHandlers>
}
