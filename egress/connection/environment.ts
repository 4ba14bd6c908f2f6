import { BlockList, isIP } from 'node:net'
import type { Tunnel, TunnelEnd } from './tunnel.ts'

/** Variables by name; `process.env` in production. */
export type Environment = Readonly<Record<string, string | undefined>>

const HTTP_PORT = 80
const MACHINE = /^(.+\.)?localhost$|^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$|^::1$/i

/**
 * The proxy that `HTTPS_PROXY` names for connections to a host, unless `NO_PROXY` names the host. This machine is
 * never reached through one. Throws when what it names cannot be used: passing by it would be as wrong.
 */
export function findTunnel(environment: Environment, end: TunnelEnd): Tunnel | undefined {
  const named = read(environment, 'HTTPS_PROXY')
  if (named === '' || MACHINE.test(end.host) || isExempt(read(environment, 'NO_PROXY'), end)) return undefined
  const url = URL.canParse(named) ? new URL(named) : undefined
  if (url?.protocol !== 'http:') {
    throw new TypeError(
      'HTTPS_PROXY must be the http:// address of a proxy, such as http://proxy.example:3128.',
    )
  }
  return {
    host: bare(url.hostname),
    port: url.port === '' ? HTTP_PORT : Number(url.port),
    authorization: authorizationOf(url),
  }
}

/** Either case is in use; the lower one wins, as it does with curl. */
function read(environment: Environment, name: string): string {
  return (environment[name.toLowerCase()] || environment[name] || '').trim()
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '') return undefined
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(credentials).toString('base64')}`
}

function isExempt(list: string, end: TunnelEnd): boolean {
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || matches(entry.toLowerCase(), end))
}

/** An entry is a name and all below it, an address or a network, and may name a port. */
function matches(entry: string, { host, port }: TunnelEnd): boolean {
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? []
  const name = bracketed ?? plain ?? entry
  if (portText !== undefined && Number(portText) !== port) return false
  if (name.includes('/')) return isWithin(name, host)
  const suffix = name.replace(/^\*?\./, '')
  const asked = host.toLowerCase()
  return asked === suffix || (isIP(asked) === 0 && asked.endsWith(`.${suffix}`))
}

function isWithin(network: string, host: string): boolean {
  const [address = '', bits = ''] = network.split('/')
  const [family, asked] = [isIP(address), isIP(host)]
  if (family === 0 || family !== asked || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    return false
  const kind = family === 4 ? 'ipv4' : 'ipv6'
  const list = new BlockList()
  list.addSubnet(address, Number(bits), kind)
  return list.check(host, kind)
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}
