import { AttestationError, toHex } from '#attestation'
import { UsageError } from '#base/command.ts'
import { shorten } from '#base/foreign-text.ts'
import { type OutputOptions, print } from '#base/print.ts'
import type { AskedCheckOutput, AskedChecksOutput } from '#contract/models'
import { isAskedChecksOutput } from '#contract/validators/asked-checks-output'
import { ATTEST_PATH, COMMAND, COMMAND_HEADER } from '../admin/attest.ts'
import { type AdminOptions, adminAddress } from './admin-address.ts'
import { askAdmin } from './ask-admin.ts'
import { parseDigestOption } from './digest-option.ts'
import { REFUSED } from './refused.ts'
import { findReason, hardwareLines, stagesInWords } from './words.ts'

/** What `proxy attest` takes. */
export interface AttestOptions extends OutputOptions, AdminOptions {
  readonly endpoint?: string
}

/** Longest wait (ours): a check that runs, the time apart, and the check itself end before. */
const WAIT_MS = 60_000

/** `proxy attest`: has the running proxy check anew; exit 0 only when every check passed (CMD-39). */
export async function attest(options: AttestOptions): Promise<number> {
  const found = await ask(adminAddress(options), options.endpoint)
  print(options, found, found.endpoints.flatMap(inWords))
  return found.endpoints.every(({ check }) => check.admitted) ? 0 : REFUSED
}

async function ask(address: string, endpoint: string | undefined): Promise<AskedChecksOutput> {
  const query = endpoint === undefined ? '' : `?${new URLSearchParams({ endpoint })}`
  const { status, found } = await askAdmin(address, `${ATTEST_PATH}${query}`, {
    method: 'POST',
    headers: { [COMMAND_HEADER]: COMMAND },
    limitMs: WAIT_MS,
  })
  if (status === 200 && isAskedChecksOutput(found)) return found
  if (status === 503) throw new Error(`The proxy at ${address} stops, and checks nothing any more.`)
  if (status === 404 && endpoint !== undefined)
    throw new UsageError(
      `--endpoint "${endpoint}" is not one of the proxy at ${address}: \`proxy status\` lists them.`,
    )
  throw new Error(`What answers at ${address} is not the admin listener of this version of the proxy.`)
}

function inWords({ name, hostname, check, foreign, verdict }: AskedCheckOutput, index: number): string[] {
  const { admitted, stage, reason, evidence_digest: digest, hardware } = check
  const heading = `Endpoint ${shorten(name)}, ${shorten(hostname)}, is`
  const space = index === 0 ? [] : ['']
  if (admitted) {
    return [
      ...space,
      `${heading} admitted, by a check that was made now.`,
      '',
      ...stagesInWords(undefined),
      '',
      `Deployment  ${digest === null ? 'unknown' : toHex(parseDigestOption('evidence_digest', digest))}`,
      ...(hardware === null ? [] : hardwareLines(hardware, 11)),
    ]
  }
  const [at, why] = [stage ?? '', reason ?? '']
  return [
    ...space,
    `${heading} refused, by a check that was made now: ${shorten(at)}, ${shorten(why)}.`,
    '',
    ...(findReason(at, why) === undefined ? [] : stagesInWords(refusalOf(at, why))),
    ...(foreign ? ['', 'Somebody else answered in the place of the endpoint.'] : []),
    ...(verdict.state === 'admitted'
      ? [
          '',
          `The verdict before it lives for ${Math.round((verdict.expires_in_ms ?? 0) / 1_000)} s more; requests go on until then.`,
        ]
      : []),
  ]
}

/** What the proxy refused with; the pair is of the catalogue. */
function refusalOf(stage: string, reason: string): AttestationError {
  return new AttestationError(...([stage, reason] as never))
}
