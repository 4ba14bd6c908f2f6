import { toHex } from '#attestation'
import { shorten } from '#base/foreign-text.ts'
import { type OutputOptions, print } from '#base/print.ts'
import { limits } from '#contract/limits'
import type { ProxyStatus } from '#contract/models'
import { isProxyStatus } from '#contract/validators/proxy-status'
import { type AdminOptions, adminAddress } from './admin-address.ts'
import { askAdmin } from './ask-admin.ts'
import { parseDigestOption } from './digest-option.ts'
import { explain, hardwareLines } from './words.ts'

/** What `proxy status` takes. */
export interface StatusOptions extends OutputOptions, AdminOptions {}

const NOT_ADMITTED = 3

type JournalStatus = NonNullable<ProxyStatus['journal']>
type EndpointStatus = ProxyStatus['endpoints'][number]

/** `proxy status`: asks the running proxy; exit 0 only when every endpoint is admitted. */
export async function status(options: StatusOptions): Promise<number> {
  const found = await ask(adminAddress(options))
  print(options, found, inWords(found))
  return found.endpoints.every(({ verdict }) => verdict.state === 'admitted') ? 0 : NOT_ADMITTED
}

async function ask(address: string): Promise<ProxyStatus> {
  const { found } = await askAdmin(address, '/status', { limitMs: limits.connectTimeoutMs })
  if (isProxyStatus(found)) return found
  throw new Error(`What answers at ${address} is not the admin listener of this version of the proxy.`)
}

function inWords({ pid, version, endpoints, journal }: ProxyStatus): string[] {
  return [
    `The proxy runs: version ${shorten(version)}, process ${pid}.`,
    ...(journal === null ? [] : journalInWords(journal)),
    ...endpoints.flatMap(endpointInWords),
  ]
}

/** A journal that is written where it should be is not worth a line. */
function journalInWords({ state, file, continues, waiting_lines, lost_lines }: JournalStatus): string[] {
  const continued =
    continues === undefined
      ? []
      : [
          `The journal goes on in ${shorten(file)} since ${continues.since}: somebody else changed ${shorten(continues.file)}.`,
          '`proxy journal verify` tells what was done to it.',
        ]
  const failing =
    state === 'failing' ? [`The journal cannot be written: ${waiting_lines} lines wait for the disk.`] : []
  const lost =
    lost_lines === 0 ? [] : [`${lost_lines} lines of the journal were lost since the proxy was started.`]
  return [...continued, ...failing, ...lost]
}

function endpointInWords({ name, hostname, listen, verdict, requests, ...rest }: EndpointStatus): string[] {
  return [
    '',
    `Endpoint ${shorten(name)}: ${shorten(hostname)}, clients at ${shorten(listen)}`,
    ...verdictInWords(verdict),
    `  next check   in ${seconds(rest.next_check_in_ms)}`,
    `  requests     ${requests.forwarded} sent on, ${requests.refused} refused, ${requests.running} running`,
  ]
}

function verdictInWords({ state, since, ...verdict }: EndpointStatus['verdict']): string[] {
  const heading = `  ${state.padEnd(11)}  since ${since}`
  if (state === 'admitted') {
    const digest = verdict.evidence_digest
    return [
      `${heading}, checked ${seconds(verdict.age_ms)} ago, good for ${seconds(verdict.expires_in_ms ?? 0)}`,
      `  deployment   ${digest === undefined ? 'unknown' : toHex(parseDigestOption('evidence_digest', digest))}`,
      ...(verdict.hardware === undefined ? [] : hardwareLines(verdict.hardware, 11)),
    ]
  }
  const { stage = '', reason = '' } = verdict
  return [
    `${heading}: ${shorten(stage)}, ${shorten(reason)}`,
    ...explain(stage, reason).map((line) => `               ${line}`),
  ]
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`
}
