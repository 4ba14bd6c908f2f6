/** Every page behind the sign-in, with what stands there once it is whole. */
export const pages: readonly (readonly [path: string, heading: string])[] = [
  ['/', 'Overview'],
  ['/welcome', 'First steps'],
  ['/keys', 'Keys'],
  ['/credits', 'Credits'],
  ['/requests', 'Requests'],
  ['/evidence', 'Evidence'],
  ['/playground', 'Playground'],
  ['/account', 'Account'],
  ['/admin/workspaces', 'Workspaces'],
  ['/admin/invitations', 'Invitations'],
  ['/admin/upstreams', 'Upstreams'],
  ['/admin/audit', 'Audit trail'],
]
