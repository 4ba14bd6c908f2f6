import {
  type Admission,
  AttestationError,
  type Circumstances,
  type Expectation,
  type TrustedRoot,
  toHex,
  verifyBundle,
} from '#attestation'
import { UsageError } from '#base/command.ts'
import { quote } from '#base/foreign-text.ts'
import { type OutputOptions, print } from '#base/print.ts'
import type { EvidenceCapsule } from '#contract/models'
import { hardwareDocument } from '#egress/hardware.ts'
import { bindingAt, type Judged, verificationDocument } from '../verification.ts'
import { readConditions } from './attested-file.ts'
import { findCapsule } from './capsule-file.ts'
import { parseDigestOption } from './digest-option.ts'
import { readPolicies } from './policies.ts'
import { isUrl, readRoots, type Source, sourceOf } from './subject.ts'
import { parseDuration, parseTime } from './usage.ts'
import { hardwareLines, stagesInWords } from './words.ts'

/** What `proxy verify` takes. */
export interface VerifyOptions extends OutputOptions {
  readonly hostname?: string
  readonly root: readonly string[]
  readonly pin: readonly string[]
  readonly policy: readonly string[]
  readonly leafName: boolean
  readonly attested?: string
  readonly observedLeaf?: string
  readonly now?: string
  readonly maxAge: string
  readonly acceptProducerAsserted?: true
}

/** Exit codes: the only 0 is an admission, and nothing that was skipped is one (V-12). */
const ADMITTED = 0
const REFUSED = 3

/** `proxy verify SUBJECT`: judges once, tells how each stage went, and gives the exit code. */
export async function verify(subject: string, options: VerifyOptions): Promise<number> {
  const capsule = isUrl(subject) ? undefined : findOrRefuse(subject)
  if (capsule instanceof AttestationError)
    return tell(options, quote(subject), { verdict: capsule, binding: 'none' })
  if (capsule !== undefined) return verifyCapsule(capsule, options)
  const source = sourceOf(subject, options.hostname)
  const expected = { ...expectationOf(source, options), policies: await readPolicies(options.policy) }
  return tell(options, source.hostname, await judge(source, expected))
}

/** A capsule, if the file is one, or why it is refused before anything is judged. */
function findOrRefuse(file: string): EvidenceCapsule | AttestationError | undefined {
  try {
    return findCapsule(file)
  } catch (thrown) {
    if (thrown instanceof AttestationError) return thrown
    throw thrown
  }
}

/** Prints how something was judged, under its name, and gives the exit code. */
function tell(options: OutputOptions, name: string, result: Judged): number {
  print(options, verificationDocument(result), inWords(name, result))
  return result.verdict instanceof AttestationError ? REFUSED : ADMITTED
}

/** What these options say of a bundle, a capsule says itself: its maker's word, and told as such. */
const NOT_FOR_CAPSULES = ['observedLeaf', 'now', 'acceptProducerAsserted'] as const

async function verifyCapsule(capsule: EvidenceCapsule, options: VerifyOptions): Promise<number> {
  if (NOT_FOR_CAPSULES.some((name) => options[name] !== undefined)) {
    throw new UsageError(
      'A capsule says itself what was seen and when; --root, --pin, --hostname, --policy and --max-age go beside it.',
    )
  }
  const given = {
    roots: rootsOf(options),
    pins: options.pin.map((pin) => parseDigestOption('--pin', pin)),
    policies: await readPolicies(options.policy),
    hostname: options.hostname,
    maxBundleAgeMs: parseDuration('--max-age', options.maxAge),
  }
  const { judgeCapsule } = await import('./capsule-verify.ts')
  const { document, lines } = await judgeCapsule(capsule, given)
  print(options, document, lines)
  return document.holds ? ADMITTED : REFUSED
}

function expectationOf(source: Source, options: VerifyOptions): Expectation & Circumstances {
  const { observedLeaf, now, acceptProducerAsserted = false } = options
  if (source.target !== undefined && observedLeaf !== undefined) {
    throw new UsageError(
      '--observed-leaf is for files; with a URL the certificate is seen on the connection.',
    )
  }
  return {
    hostname: source.hostname,
    roots: rootsOf(options),
    pins: options.pin.map((pin) => parseDigestOption('--pin', pin)),
    now: now === undefined ? new Date() : parseTime('--now', now),
    maxBundleAgeMs: parseDuration('--max-age', options.maxAge),
    acceptProducerAsserted,
    ...(observedLeaf && { observedLeaf: parseDigestOption('--observed-leaf', observedLeaf) }),
  }
}

function rootsOf({ root, leafName: requireLeafName, attested }: VerifyOptions): TrustedRoot[] {
  return readRoots(root, {
    requireLeafName,
    ...(attested !== undefined && { attested: readConditions(attested) }),
  })
}

async function judge(source: Source, expected: Expectation & Circumstances): Promise<Judged> {
  let { observedLeaf } = expected
  try {
    const subject = await source.read()
    observedLeaf ??= subject.observedLeaf
    const admission = await verifyBundle(subject.bytes, {
      ...expected,
      ...(observedLeaf && { observedLeaf }),
    })
    return { verdict: admission, binding: admission.channelBinding }
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    return { verdict: thrown, binding: bindingAt(thrown, observedLeaf !== undefined) }
  }
}

function inWords(name: string, { verdict, binding }: Judged): string[] {
  if (verdict instanceof AttestationError) {
    return [
      `${name} is refused: ${verdict.stage}, ${verdict.reason}.`,
      '',
      ...stagesInWords(verdict, binding),
    ]
  }
  return [
    `${name} is admitted.`,
    '',
    ...stagesInWords(undefined, binding),
    '',
    `Deployment  ${toHex(verdict.digest)}, signed at ${verdict.issuedAt.toISOString()}`,
    binding === 'observed'
      ? 'Connection  its certificate was seen.'
      : 'Connection  its certificate is what the producer says; nobody saw it.',
    ...hardwareOf(verdict),
  ]
}

function hardwareOf({ hardware }: Admission): string[] {
  if (hardware === null) return []
  return ['', 'The root’s key is held by hardware:', ...hardwareLines(hardwareDocument(hardware), 11)]
}
