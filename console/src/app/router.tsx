import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { asFailure } from '../api/failure.ts'
import { meQuery } from '../session/me.ts'
import { Administration } from './administration.tsx'
import { Broken } from './broken.tsx'
import { Lost } from './lost.tsx'
import { readEvidenceSearch, readGrant, readLogSearch, readSignInSearch } from './search.ts'
import { Shell } from './shell.tsx'
import { Waiting } from './waiting.tsx'

interface Context {
  readonly queries: QueryClient
}

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: Lost,
  errorComponent: Broken,
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: readSignInSearch,
  component: lazyRouteComponent(() => import('../pages/sign-in/page.tsx'), 'SignInPage'),
})

/** Everything that only somebody who is signed in may see. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  async beforeLoad({ context, location }) {
    try {
      await context.queries.ensureQueryData(meQuery)
    } catch (error) {
      if (!asFailure(error).isSignedOut) throw error
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { to: location.href } })
    }
  },
  component: Shell,
  errorComponent: Broken,
})

const administration = createRoute({
  getParentRoute: () => shell,
  id: 'administration',
  component: Administration,
})

/** A page behind the sign-in that is told nothing by its address. */
function page<const Path extends string, Pages, Name extends keyof Pages & string>(
  path: Path,
  load: () => Promise<Pages>,
  name: Name,
) {
  return createRoute({ getParentRoute: () => shell, path, component: lazily(load, name) })
}

/** The same for administrators. */
function adminPage<const Path extends string, Pages, Name extends keyof Pages & string>(
  path: Path,
  load: () => Promise<Pages>,
  name: Name,
) {
  return createRoute({ getParentRoute: () => administration, path, component: lazily(load, name) })
}

function lazily(load: () => Promise<unknown>, name: string) {
  return lazyRouteComponent(load as () => Promise<Record<string, () => ReactNode>>, name)
}

const pages = [
  page('/', () => import('../pages/overview/page.tsx'), 'OverviewPage'),
  page('/keys', () => import('../pages/keys/page.tsx'), 'KeysPage'),
  page('/credits', () => import('../pages/credits/page.tsx'), 'CreditsPage'),
  page('/playground', () => import('../pages/playground/page.tsx'), 'PlaygroundPage'),
  page('/account', () => import('../pages/account/page.tsx'), 'AccountPage'),
  createRoute({
    getParentRoute: () => shell,
    path: '/welcome',
    validateSearch: readGrant,
    component: lazyRouteComponent(() => import('../pages/welcome/page.tsx'), 'WelcomePage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/requests',
    validateSearch: readLogSearch,
    component: lazyRouteComponent(() => import('../pages/requests/page.tsx'), 'RequestsPage'),
  }),
  createRoute({
    getParentRoute: () => shell,
    path: '/evidence',
    validateSearch: readEvidenceSearch,
    component: lazyRouteComponent(() => import('../pages/evidence/page.tsx'), 'EvidencePage'),
  }),
] as const

const administrators = [
  adminPage('/admin/upstreams', () => import('../pages/upstreams/page.tsx'), 'UpstreamsPage'),
  adminPage('/admin/invitations', () => import('../pages/invitations/page.tsx'), 'InvitationsPage'),
  adminPage('/admin/workspaces', () => import('../pages/workspaces/page.tsx'), 'WorkspacesPage'),
  adminPage('/admin/audit', () => import('../pages/audit/page.tsx'), 'AuditPage'),
] as const

/** The page's own addresses below `/console`, each loaded when it is first gone to. */
export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([
      signIn,
      shell.addChildren([...pages, administration.addChildren(administrators)]),
    ]),
    basepath: '/console',
    context: { queries },
    defaultPreload: 'intent',
    defaultPendingComponent: Waiting,
    scrollRestoration: true,
  })
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
