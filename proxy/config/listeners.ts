import type { Address } from '../listener/open.ts'
import { DEFAULT_ADMIN, DEFAULT_LISTEN } from './defaults.ts'
import { at, listAt, type Report } from './look.ts'

/** The shorter of what Linux and macOS take; the folder of the configuration file comes before a relative one. */
const MAX_SOCKET_BYTES = 103

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|localhost)$/

/** What a schema cannot say of the admin listener. */
export function checkAdmin(admin: unknown, endpoints: readonly unknown[], report: Report): void {
  if (admin === undefined) return
  const address = addressAt(admin, DEFAULT_ADMIN)
  if (address !== undefined && endpoints.some((endpoint) => addressOf(endpoint) === address)) {
    report('/admin/port', 'is where an endpoint listens')
  }
  const host = at(admin, 'host') ?? DEFAULT_ADMIN.host
  if (typeof host !== 'string' || LOOPBACK.test(host)) return
  report('/admin/host', 'is open to other machines: health and status are for this one, use 127.0.0.1')
}

/** What a schema cannot say of a listener for clients. */
export function checkListener(listen: unknown, path: string, report: Report): void {
  if (at(listen, 'socket') !== undefined) checkSocket(listen, path, report)
  const host = at(listen, 'host') ?? DEFAULT_LISTEN.host
  if (typeof host === 'string' && !LOOPBACK.test(host)) {
    if (at(listen, 'allowRemote') !== true) {
      report(
        `${path}/host`,
        'is open to other machines: say allowRemote: true and set a token, or use 127.0.0.1',
      )
    } else if (at(listen, 'token') === undefined) {
      report(`${path}/token`, 'is missing: a listener that is open to other machines needs one')
    }
  }
  for (const [index, origin] of listAt(listen, 'origins').entries()) {
    if (typeof origin === 'string' && !isOrigin(origin)) {
      report(`${path}/origins/${index}`, 'is not an origin such as https://app.example; there is no wildcard')
    }
  }
}

/** The address that an endpoint listens at, to find two with the same; undefined for port 0, which is always free. */
export function addressOf(endpoint: unknown): string | undefined {
  const listen = at(endpoint, 'listen')
  const socket = at(listen, 'socket')
  if (socket !== undefined) return `unix:${String(socket)}`
  return addressAt(listen, DEFAULT_LISTEN)
}

function addressAt(listen: unknown, usual: Address): string | undefined {
  const port = at(listen, 'port') ?? usual.port
  return port === 0 ? undefined : `${at(listen, 'host') ?? usual.host}:${port}`
}

function checkSocket(listen: unknown, path: string, report: Report): void {
  for (const key of ['host', 'port', 'allowRemote']) {
    if (at(listen, key) !== undefined) report(`${path}/${key}`, 'does not go with a socket')
  }
  const socket = at(listen, 'socket')
  if (typeof socket === 'string' && Buffer.byteLength(socket) > MAX_SOCKET_BYTES) {
    report(`${path}/socket`, `is longer than the ${MAX_SOCKET_BYTES} bytes that a socket's path may have`)
  }
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}
