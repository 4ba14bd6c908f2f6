import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { createConsolePage } from '../../server/console/page.ts'
import { buildPage, PAGE_FOLDER } from '../build/build.ts'
import { createScriptedApi } from './api.ts'
import { createRouterRoutes } from './router.ts'
import { createWorld, type World } from './world.ts'

/** The built page before a scripted API, at an address of its own. */
export interface Site {
  readonly address: string
  readonly world: World
  readonly tell: ReturnType<typeof createScriptedApi>['tell']
  /** Stops to listen, so that nothing answers any more; `open` listens at the same address again. */
  readonly close: () => Promise<void>
  readonly open: () => Promise<void>
}

/** Builds the page, if need be, and serves it as the router does. */
export async function openSite(world = createWorld(), port = 0): Promise<Site> {
  await buildPage()
  const api = createScriptedApi(world)
  const app = new Hono()
  app.route('/console/api', api.app)
  app.route('/v1', createRouterRoutes(world))
  app.route('/', createConsolePage(PAGE_FOLDER))
  const server = createServer(getRequestListener(app.fetch))
  const listen = (at: number) => new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen(port)
  const own = (server.address() as AddressInfo).port
  return {
    address: `http://127.0.0.1:${own}`,
    world,
    tell: api.tell,
    open: () => listen(own),
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      return closed
    },
  }
}
