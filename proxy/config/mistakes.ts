import { resolve } from 'node:path'
import { parseDigest } from '#attestation'
import type { ValidatorError } from '../../config/load.ts'
import { DEFAULT_LISTEN } from './defaults.ts'
import { readRoot } from './root.ts'

type Report = (path: string, message: string) => void

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|localhost)$/

/** Keys of the schema that this version cannot honour: passing over one would let through what it forbids. */
const later = ['admin', 'policies', 'socket'] as const

/** What a schema cannot say of a configuration; its value may have any shape, as the schema's own errors come along. */
export function mistakesOf(config: unknown, folder: string): ValidatorError[] {
  const mistakes: ValidatorError[] = []
  const report: Report = (instancePath, message) => mistakes.push({ instancePath, keyword: 'proxy', message })
  refuseLater(config, '', report)
  const endpoints = listAt(config, 'endpoints')
  for (const [index, endpoint] of endpoints.entries()) {
    const path = `/endpoints/${index}`
    refuseLater(endpoint, path, report)
    checkUrl(endpoint, path, report)
    checkListener(at(endpoint, 'listen'), `${path}/listen`, report)
    checkRoots(listAt(endpoint, 'roots'), `${path}/roots`, folder, report)
    checkPins(listAt(endpoint, 'pins'), `${path}/pins`, report)
  }
  reportRepeated(
    endpoints.map((endpoint) => at(endpoint, 'name')),
    'name',
    'stands twice',
    report,
  )
  reportRepeated(endpoints.map(addressOf), 'listen', 'is the address of another endpoint', report)
  return mistakes
}

function refuseLater(value: unknown, path: string, report: Report): void {
  for (const key of later) {
    if (at(value, key) !== undefined) report(`${path}/${key}`, 'is not supported by this version')
  }
}

function checkUrl(endpoint: unknown, path: string, report: Report): void {
  const url = at(endpoint, 'url')
  if (typeof url !== 'string') return
  const { username, password, search, hash } = URL.canParse(url) ? new URL(url) : {}
  if (username === undefined) report(`${path}/url`, 'is not a URL')
  else if (username || password || search || hash)
    report(`${path}/url`, 'must be an address and /v1, no more')
}

function checkListener(listen: unknown, path: string, report: Report): void {
  refuseLater(listen, path, report)
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

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

function checkRoots(roots: readonly unknown[], path: string, folder: string, report: Report): void {
  for (const [index, root] of roots.entries()) {
    const file = at(root, 'file')
    if (typeof file !== 'string') continue
    try {
      readRoot(resolve(folder, file))
    } catch (error) {
      report(`${path}/${index}/file`, `cannot be used: ${(error as Error).message}`)
    }
  }
}

function checkPins(pins: readonly unknown[], path: string, report: Report): void {
  for (const [index, pin] of pins.entries()) {
    if (typeof pin !== 'string') continue
    try {
      parseDigest(pin)
    } catch {
      report(`${path}/${index}`, 'is not a digest: its last character is not the canonical one')
    }
  }
}

function reportRepeated(values: readonly unknown[], key: string, message: string, report: Report): void {
  for (const [index, value] of values.entries()) {
    if (value !== undefined && values.indexOf(value) < index) report(`/endpoints/${index}/${key}`, message)
  }
}

/** Where an endpoint listens; port 0 is nobody's. */
function addressOf(endpoint: unknown): string | undefined {
  const listen = at(endpoint, 'listen')
  const port = at(listen, 'port') ?? DEFAULT_LISTEN.port
  return port === 0 ? undefined : `${at(listen, 'host') ?? DEFAULT_LISTEN.host}:${port}`
}

function at(value: unknown, key: string): unknown {
  const isRecord = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
  return isRecord ? (value as Record<string, unknown>)[key] : undefined
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const list = at(value, key)
  return Array.isArray(list) ? list : []
}
