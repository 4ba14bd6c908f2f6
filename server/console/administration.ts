import { listingAudit } from './admin-audit.ts'
import { diffingUpstreams } from './admin-diff.ts'
import { issueInvitation, listingInvitations, withdrawInvitation } from './admin-invitations.ts'
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
import { creditWorkspace, gettingWorkspace, listingWorkspaces } from './admin-workspaces.ts'
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
    issueInvitation,
    withdrawInvitation,
    listWorkspaces: listingWorkspaces(sql),
    getWorkspace: gettingWorkspace(sql),
    creditWorkspace,
    listAudit: listingAudit(sql),
  } satisfies Partial<ConsoleHandlers>
}
