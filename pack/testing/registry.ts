import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A registry of this machine, with what it was given and nothing else. */
export interface Registry {
  readonly url: string
  /** Names that were asked for and are not there. */
  readonly missed: readonly string[]
  close(): void
}

interface Entry {
  readonly file: string
  readonly manifest: { readonly name: string; readonly version: string }
}

/** Serves archives as npm asks for packages, so that somebody's `npm install` is the one that they would type. */
export async function openRegistry(files: readonly string[]): Promise<Registry> {
  const entries = files.map(entryOf)
  const missed: string[] = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const archive = entries.find(({ file }) => path === tarballPath(file))
    if (archive !== undefined) return response.end(readFileSync(archive.file))
    const found = entries.filter(({ manifest }) => manifest.name === path)
    if (found.length > 0) return json(response, packument(found, url))
    missed.push(path)
    return response.writeHead(404).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    url,
    missed,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function entryOf(file: string): Entry {
  const manifest = execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' })
  return { file, manifest: JSON.parse(manifest) }
}

function packument(entries: readonly Entry[], url: string): object {
  const versions = entries.map(({ file, manifest }) => {
    const integrity = `sha512-${hash('sha512', readFileSync(file), 'base64')}`
    return [manifest.version, { ...manifest, dist: { tarball: `${url}${tarballPath(file)}`, integrity } }]
  })
  return {
    name: entries[0]!.manifest.name,
    'dist-tags': { latest: entries.at(-1)!.manifest.version },
    versions: Object.fromEntries(versions),
  }
}

function tarballPath(file: string): string {
  return `-/${hash('sha256', file)}.tgz`
}

function json(response: ServerResponse, document: object): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(document))
}
