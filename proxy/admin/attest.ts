import type { IncomingMessage } from 'node:http'
import type { AskedCheckOutput, AskedChecksOutput } from '#contract/models'
import type { AskedCheck } from '../asked-checks.ts'
import { forbidden, type Refusal } from '../refusal.ts'
import { bindingAt, verificationDocument } from '../verification.ts'
import type { EndpointView } from './view.ts'

/** Path at which endpoints are checked anew, and the header without which nobody is heard there. */
export const ATTEST_PATH = '/attest'
export const COMMAND_HEADER = 'x-proxy-command'
export const COMMAND = 'attest'

/**
 * Refuses what a browser may have sent, of the page's own site too (PRXY-30). A page can set no `X-Proxy-Command`
 * without asking first, and that question is never answered; the other marks it cannot leave out.
 */
export function guardCommand({ headers }: IncomingMessage): Refusal | undefined {
  const { origin, 'sec-fetch-site': site } = headers
  if (origin !== undefined || site !== undefined)
    return forbidden('Pages may not have an endpoint checked: use `proxy attest`.')
  return headers[COMMAND_HEADER] === COMMAND
    ? undefined
    : forbidden(`X-Proxy-Command: ${COMMAND} is missing: \`proxy attest\` sends it.`)
}

/** Has endpoints checked anew; undefined when the proxy stops meanwhile. */
export async function attestNow(endpoints: readonly EndpointView[]): Promise<AskedChecksOutput | undefined> {
  const found = await Promise.all(endpoints.map(attestOne))
  const told = found.filter((each) => each !== undefined)
  return told.length < endpoints.length ? undefined : { endpoints: told }
}

async function attestOne(endpoint: EndpointView): Promise<AskedCheckOutput | undefined> {
  const asked = await endpoint.attest()
  if (asked === undefined) return undefined
  const { name, hostname, verdict } = endpoint.status()
  return { name, hostname, check: checkDocument(asked), foreign: asked.isForeign, verdict }
}

function checkDocument({ outcome }: AskedCheck): AskedCheckOutput['check'] {
  if (outcome.kind === 'passed')
    return verificationDocument({ verdict: outcome.admission, binding: outcome.admission.channelBinding })
  const { ground } = outcome
  // The proxy goes by what it has seen itself, and by no producer's word.
  return verificationDocument({ verdict: ground, binding: bindingAt(ground, true) })
}
