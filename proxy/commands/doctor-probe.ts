import { X509Certificate } from 'node:crypto'
import { type LookupAddress, lookup } from 'node:dns'
import { request } from 'node:http'
import { connect, isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { shorten, visible } from '#base/foreign-text.ts'
import { limits } from '#contract/limits'
import { DialError, dial, discard } from '#egress/connection/dial.ts'
import { authorityOf, type Target } from '#egress/connection/target.ts'
import { openTunnel } from '#egress/connection/tunnel.ts'
import { answerTo, unlessAborted } from '#egress/evidence/answer.ts'
import { EVIDENCE_PATH } from '#egress/evidence/fetch.ts'
import { type Finding, failed, notReached, ok } from './doctor-finding.ts'
import { findReason } from './words.ts'

/** What was seen of the way to an endpoint, before its evidence is looked at. */
export interface Probe {
  readonly findings: readonly Finding[]
  /** Issuer of the certificate on the connection, as it names it. */
  readonly observedIssuer: string | undefined
}

const MACHINE = /(^|\.)localhost$/i

/** Walks the way to an endpoint step by step; each stands on the one before. */
export async function probe(target: Target, now: () => Date): Promise<Probe> {
  const name = await lookUp(target)
  if (name.result === 'failed') {
    const rest = (['connect', 'tls', 'clock'] as const).map(notReached)
    return { findings: [name, ...rest], observedIssuer: undefined }
  }
  const way = await reach(target)
  if (way.result === 'failed') {
    return { findings: [name, way, notReached('tls'), notReached('clock')], observedIssuer: undefined }
  }
  return shakeHands(target, now, [name, way])
}

async function lookUp({ host, tunnel }: Target): Promise<Finding> {
  if (tunnel !== undefined)
    return ok('dns', `Left to the proxy ${tunnel.host}:${tunnel.port}, which HTTPS_PROXY names.`)
  if (isIP(host) !== 0) return ok('dns', `${host} is an address.`)
  if (MACHINE.test(host)) return ok('dns', `${host} is this machine.`)
  try {
    const found: LookupAddress[] = await promisify(lookup)(host, { all: true })
    return ok('dns', `${host} is ${found.map(({ address }) => address).join(', ')}.`)
  } catch (error) {
    return failed('dns', `${host} cannot be resolved (${codeOf(error)}).`, {
      remedy:
        'Check the spelling of `url` in the configuration, and whether this machine resolves other names; behind a proxy for CONNECT set HTTPS_PROXY.',
    })
  }
}

async function reach(target: Target): Promise<Finding> {
  const { host, port, tunnel } = target
  const signal = AbortSignal.timeout(limits.connectTimeoutMs)
  if (tunnel === undefined) {
    try {
      await connectTo(MACHINE.test(host) ? 'localhost' : host, port, signal)
      return ok('connect', `${host}:${port} takes connections.`)
    } catch (error) {
      return failed('connect', `${host}:${port} takes no connection (${codeOf(error)}).`, {
        remedy:
          'Check the address and any firewall. If this network lets connections out through a proxy alone, set HTTPS_PROXY to it.',
      })
    }
  }
  const place = `${tunnel.host}:${tunnel.port}`
  try {
    const socket = await openTunnel(tunnel, target, signal)
    socket.on('error', () => {}).destroy()
    return ok('connect', `The proxy ${place} connects to ${host}:${port}.`)
  } catch (error) {
    return failed(
      'connect',
      `The proxy ${place}, which HTTPS_PROXY names, does not connect: ${shorten((error as Error).message)}`,
      {
        remedy: `Ask whoever runs that proxy to let CONNECT through to ${host}:${port}, or name the host in NO_PROXY if it can be reached directly.`,
      },
    )
  }
}

function connectTo(host: string, port: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port })
    const finish = (error?: Error): void => {
      socket.on('error', () => {}).destroy()
      if (error === undefined) resolve()
      else reject(error)
    }
    socket.once('connect', () => finish()).once('error', finish)
    signal.addEventListener('abort', () =>
      finish(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
    )
  })
}

async function shakeHands(target: Target, now: () => Date, before: readonly Finding[]): Promise<Probe> {
  const signal = AbortSignal.timeout(limits.bundleFetchMs)
  try {
    const { socket } = await dial(target, { signal })
    const observedIssuer = issuerOf(socket)
    const tls = ok(
      'tls',
      `TLS 1.3, with a certificate issued by ${shorten(observedIssuer ?? 'nobody it names')}.`,
    )
    const clock = await compareClocks(socket, target, now, signal)
    discard(socket)
    return { findings: [...before, tls, clock], observedIssuer }
  } catch (error) {
    const reason = error instanceof DialError ? error.reason : 'tls_failed'
    const entry = findReason('fetch', reason)
    const cause = (error as Error).cause ?? error
    const tls = failed('tls', `The handshake failed (${codeOf(cause)}).`, { remedy: entry?.remedy, entry })
    return { findings: [...before, tls, notReached('clock')], observedIssuer: undefined }
  }
}

/** Compares this clock with the `Date` of an answer, which is not signed but good enough to find a wrong clock. */
async function compareClocks(
  socket: TLSSocket,
  target: Target,
  now: () => Date,
  signal: AbortSignal,
): Promise<Finding> {
  const told = await dateFrom(socket, target, signal)
  if (told === undefined) return { ...notReached('clock'), detail: 'The endpoint does not tell the time.' }
  const skewMs = now().getTime() - told.getTime()
  const distance = `${Math.round(Math.abs(skewMs) / 1_000)} s`
  if (Math.abs(skewMs) <= limits.maxClockSkewMs)
    return ok('clock', `It agrees with the endpoint's, give or take ${distance}.`)
  return failed(
    'clock',
    `This machine's clock is ${distance} ${skewMs > 0 ? 'ahead of' : 'behind'} the endpoint's.`,
    {
      remedy: 'Set the clock of this machine, and have it kept by NTP.',
    },
  )
}

async function dateFrom(socket: TLSSocket, target: Target, signal: AbortSignal): Promise<Date | undefined> {
  const headers = { host: authorityOf(target), connection: 'close' }
  const asked = request({ createConnection: () => socket, path: EVIDENCE_PATH, headers })
  const answered = answerTo(asked)
  asked.end()
  try {
    const answer = await unlessAborted(signal, answered)
    answer.destroy()
    const date = new Date(answer.headers.date ?? Number.NaN)
    return Number.isNaN(date.getTime()) ? undefined : date
  } catch {
    return undefined
  }
}

function issuerOf(socket: TLSSocket): string | undefined {
  const { raw }: { raw?: Buffer } = socket.getPeerCertificate() ?? {}
  return raw === undefined ? undefined : nameInWords(new X509Certificate(raw).issuer)
}

/** A distinguished name on one line, whatever it holds. */
export function nameInWords(name: string): string {
  return visible(name.split('\n').join(', '))
}

function codeOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return shorten(code ?? message)
}
