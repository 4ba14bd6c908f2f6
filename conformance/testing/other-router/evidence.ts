import { get } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { isObject } from '#base/object.ts'
import type { Model } from './models.ts'

/** What one endpoint has published, as it came. */
interface Publication {
  readonly bytes: Buffer
  readonly issuedAt: number
  readonly digest: string
}

/** An endpoint of this router's own. */
interface Endpoint {
  readonly hostname: string
  publication: Publication | undefined
}

/** Where the evidence of this deployment is read. */
export interface Platform {
  readonly url: string
  readonly hostname: string
  readonly ca: string
}

/** Bundles of the own endpoints, read again and again; never verified, and relayed as they came. */
export class Evidence {
  readonly #endpoints: Readonly<Record<Model['endpoint'], Endpoint>>
  readonly #timer: NodeJS.Timeout

  constructor({ url, hostname, ca }: Platform, everyMs: number) {
    this.#endpoints = {
      main: { hostname, publication: undefined },
      dark: { hostname: 'dark.other.example', publication: undefined },
      shown: { hostname: 'shown.localhost', publication: undefined },
    }
    const port = new URL(url).port
    const options = { host: '127.0.0.1', port, ca, servername: hostname, headers: { host: hostname } }
    const read = () =>
      get({ ...options, path: '/.well-known/platform-evidence' }, (answer) => {
        void buffer(answer).then(
          (bytes) => this.publish('main', bytes),
          () => {},
        )
      }).on('error', () => {})
    read()
    this.#timer = setInterval(read, everyMs)
  }

  /** Takes a bundle in; one that is older than what there is, or none at all, is passed over. */
  publish(name: Model['endpoint'], bytes: Buffer): void {
    const endpoint = this.#endpoints[name]
    const read = publicationIn(bytes)
    if (read && read.issuedAt >= (endpoint.publication?.issuedAt ?? 0)) endpoint.publication = read
  }

  /** The hostname of an endpoint, and what it publishes now, in the notation for people. */
  of(name: Model['endpoint']): { readonly hostname: string; readonly digest: string | null } {
    const { hostname, publication } = this.#endpoints[name]
    return { hostname, digest: publication?.digest ?? null }
  }

  /** The bytes of an endpoint's bundle by its name or its hostname. */
  find(wanted: string): Buffer | undefined {
    const found = Object.entries(this.#endpoints).find(
      ([name, { hostname }]) => wanted === name || wanted === hostname,
    )
    return found?.[1].publication?.bytes
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

function publicationIn(bytes: Buffer): Publication | undefined {
  try {
    const { jws, issuedAt } = JSON.parse(bytes.toString())
    const payload: unknown = JSON.parse(Buffer.from(jws.split('.')[1], 'base64url').toString())
    if (!isObject(payload)) return undefined
    const wire = String(payload.evidenceDigest).replace('sha256/', '')
    const digest = `sha256:${Buffer.from(wire, 'base64url').toString('hex')}`
    return { bytes, issuedAt: Date.parse(issuedAt), digest }
  } catch {
    return undefined
  }
}
