import { UsageError } from '#base/command.ts'
import { ConfigError } from '../../config/error.ts'
import { loadProxyConfig } from '../config/proxy.ts'

/** What commands take that ask the running proxy. */
export interface AdminOptions {
  readonly config: string
  readonly admin?: string
}

/** Where the running proxy is asked: what `--admin` says, else the configuration. */
export function adminAddress({ config, admin }: AdminOptions): string {
  return admin === undefined ? addressIn(config) : parseAddress(admin)
}

/** That nobody is there, in words that lead on. */
export function notRunning(address: string, cause: unknown): Error {
  return new Error(`No proxy answers at ${address}. Is it running? \`proxy run\` starts it.`, { cause })
}

function addressIn(file: string): string {
  const { admin } = loadProxyConfig(file, process.env)
  if (admin === undefined) {
    const message = 'is missing: write `admin: {}` to have the proxy tell its status, and start it anew'
    throw new ConfigError(file, [{ path: 'admin', message }])
  }
  if (admin.port === 0) throw new UsageError('--admin is missing: the configuration takes any free port.')
  return `http://${admin.host.includes(':') ? `[${admin.host}]` : admin.host}:${admin.port}`
}

function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'http:' && url.pathname === '/') return url.origin
  throw new UsageError(`--admin must be an address such as http://127.0.0.1:8485, not "${text}".`)
}
