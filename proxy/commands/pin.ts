import { AttestationError, type Digest, toHex } from '#attestation'
import { complain, type OutputOptions, print } from '#base/print.ts'
import type { PinsOutput } from '#contract/models'
import { type EndpointConfig, loadProxyConfig } from '../config/proxy.ts'
import { type ConfiguredOptions, chooseEndpoint, endpointsOf } from './configured.ts'
import { parseDigestOption } from './digest-option.ts'
import { editPins } from './pin-file.ts'
import { findCandidate, type PinBasis } from './pin-subject.ts'
import { printRefusal } from './refused.ts'

/** What the pin commands take. */
export interface PinOptions extends OutputOptions, ConfiguredOptions {}

const FAILED = 1

const TAKEN_UP = 'A proxy that runs with this file takes it up within a second.'

const bases: Readonly<Record<PinBasis, string>> = {
  endpoint: 'The endpoint’s evidence was verified up to a trusted root just now.',
  bundle: 'The bundle was verified up to a trusted root just now.',
  word: 'Nothing was verified: it was put in at your word.',
}

/** `proxy pin list`: shows what is approved, endpoint by endpoint. */
export function pinList(options: PinOptions): number {
  const endpoints = endpointsOf(loadProxyConfig(options.config, process.env), options.endpoint)
  const lines = endpoints.flatMap((endpoint) => [
    `${endpoint.name}  ${endpoint.target.hostname}`,
    ...listed(endpoint.pins),
  ])
  print(options, documentOf(endpoints, null, null), lines)
  return 0
}

/** `proxy pin add SUBJECT`: approves of one more deployment, never without verification unless by the user's word. */
export async function pinAdd(subject: string, options: PinOptions): Promise<number> {
  const { config, endpoint } = chooseEndpoint(options)
  try {
    const { digest, basis } = await findCandidate(subject, endpoint)
    const isNew = !endpoint.pins.includes(digest)
    const index = config.endpoints.indexOf(endpoint)
    const pins = isNew ? editPins(options.config, index, { kind: 'add', digest }) : endpoint.pins
    print(options, documentOf([{ ...endpoint, pins }], isNew ? digest : null, basis), [
      `${toHex(digest)} is ${isNew ? 'now' : 'already'} approved for ${endpoint.name}.`,
      bases[basis],
      ...(isNew ? [TAKEN_UP] : []),
    ])
    return 0
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    const heading = `Nothing was written, as ${subject} does not hold for ${endpoint.name}:`
    return printRefusal(options, subject, heading, thrown)
  }
}

/** `proxy pin remove DIGEST`: withdraws an approval; the last one stays, as nothing could be admitted without it. */
export function pinRemove(text: string, options: PinOptions): number {
  const digest = parseDigestOption('<digest>', text)
  const { config, endpoint } = chooseEndpoint(options)
  if (!endpoint.pins.includes(digest)) {
    complain(`${toHex(digest)} is not approved for ${endpoint.name}; \`proxy pin list\` shows what is.`)
    return FAILED
  }
  if (endpoint.pins.every((pin) => pin === digest)) {
    complain(
      `${toHex(digest)} is the only pin of ${endpoint.name}, and without one nothing is ever admitted. Add its successor first, or stop the proxy.`,
    )
    return FAILED
  }
  const pins = editPins(options.config, config.endpoints.indexOf(endpoint), { kind: 'remove', digest })
  print(options, documentOf([{ ...endpoint, pins }], digest, null), [
    `${toHex(digest)} is no longer approved for ${endpoint.name}. ${TAKEN_UP}`,
    ...listed(pins),
  ])
  return 0
}

function listed(pins: readonly Digest[]): string[] {
  return pins.map((pin) => `  ${toHex(pin)}`)
}

type PinnedEndpoint = Pick<EndpointConfig, 'name' | 'target' | 'pins'>

function documentOf(
  endpoints: readonly PinnedEndpoint[],
  changed: Digest | null,
  basis: PinBasis | null,
): PinsOutput {
  return {
    endpoints: endpoints.map(({ name, target, pins }) => ({
      name,
      hostname: target.hostname,
      pins: pins.map(toHex),
    })),
    changed,
    basis: basis,
  }
}
