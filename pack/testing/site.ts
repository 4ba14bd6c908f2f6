import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** A folder as browsers reach it. */
export interface Site {
  readonly origin: string
  close(): void
}

/**
 * Serves a folder with an installed package, and `/page.html`, which takes the package as pages do: `module` is the file
 * that browsers are given of it, and what `program` exports is `globalThis.page`.
 */
export async function openSite(folder: string, name: string, module: string, program: string): Promise<Site> {
  const imports = { [name]: `/node_modules/${name}/${module}` }
  const page = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">globalThis.page = await import('./${program}')</script>`
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    if (path === '/page.html') return response.setHeader('content-type', 'text/html').end(page)
    if (!/\.js(on)?$/.test(path)) return response.writeHead(404).end()
    return response.setHeader('content-type', 'text/javascript').end(readFileSync(join(folder, path)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  }
}
