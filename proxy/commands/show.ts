import {
  type Admission,
  AttestationError,
  type InspectedBundle,
  inspectBundle,
  type TrustedRoot,
  toHex,
  verifyBundle,
} from '#attestation'
import { UsageError } from '#base/command.ts'
import { complain, type OutputOptions, print } from '#base/print.ts'
import { limits } from '#contract/limits'
import type { ShownDeploymentOutput } from '#contract/models'
import { printRefusal, REFUSED } from './refused.ts'
import { lastStageOf, NOBODY, type Shown, shownInWords } from './show-words.ts'
import {
  type NamedBundle,
  type NamedOptions,
  readNamed,
  rootsWithin,
  verifyByItself,
} from './snapshot-source.ts'
import { readRoots } from './subject.ts'

/** What `proxy show` takes. */
export interface ShowOptions extends OutputOptions, NamedOptions {
  readonly root: readonly string[]
  readonly leafName: boolean
  readonly raw?: true
  readonly force?: true
}

/**
 * `proxy show SUBJECT`: what a bundle says is deployed, whole, and what of it was verified. A bundle that was refused is
 * shown as well, under that heading, and the exit code says so.
 */
export async function show(subject: string, options: ShowOptions): Promise<number> {
  if (options.raw) mayWriteRaw(options)
  try {
    const named = await readNamed(subject, options)
    const inspected = inspectBundle(named.bytes)
    const shown = await examine(subject, named, inspected, options)
    if (options.raw) writeRaw(inspected, shown)
    else print(options, documentOf(shown), shownInWords(shown))
    return shown.refusal === undefined ? 0 : REFUSED
  } catch (thrown) {
    if (!(thrown instanceof AttestationError)) throw thrown
    return printRefusal(options, subject, `${subject} holds nothing that could be shown:`, thrown)
  }
}

function mayWriteRaw({ json, force }: ShowOptions): void {
  if (json) throw new UsageError('--raw and --json cannot both be printed.')
  if (process.stdout.isTTY && !force) {
    throw new UsageError(
      '--raw does not write to a terminal, which would obey what stands in it: send it to a file or a program, or say --force.',
    )
  }
}

/** The snapshot byte for byte, as it was signed: the only text of a stranger's that no command escapes. */
function writeRaw({ payload }: InspectedBundle, { refusal, isRootNamed }: Shown): void {
  if (refusal !== undefined || !isRootNamed) complain(NOBODY)
  process.stdout.write(payload.evidenceText)
}

/** How a bundle is judged for showing. */
export interface ExamineOptions extends Pick<ShowOptions, 'root' | 'leafName'> {
  /** Whether a root that comes along is held to what a configuration would say of it. */
  readonly asWritten?: boolean
}

/** Judges a bundle for showing; throws nothing for one that is refused. */
export async function examine(
  subject: string,
  named: NamedBundle,
  { payload, issuedAt }: InspectedBundle,
  options: ExamineOptions,
): Promise<Shown> {
  const { leafName, asWritten = false } = options
  const itself = await outcomeOf(() => verifyByItself(named.bytes))
  const roots = rootsFor(named, payload.hostname, options)
  const isFetched = named.observedLeaf !== undefined
  const judged = await outcomeOf(() =>
    verifyBundle(named.bytes, {
      hostname: named.hostname ?? payload.hostname,
      roots: roots ?? rootsWithin(named.bytes, { requireLeafName: asWritten && leafName }),
      pins: [payload.evidenceDigest],
      // A file is judged as of its own time: how old it may be is not what is asked.
      now: isFetched ? new Date() : issuedAt,
      maxBundleAgeMs: limits.maxBundleAgeMs,
      observedLeaf: named.observedLeaf ?? payload.certFingerprint,
    }),
  )
  return {
    subject,
    hostname: payload.hostname,
    isHostnameAsked: named.hostname !== undefined,
    issuedAt,
    evidence: payload.evidence,
    admission: itself instanceof AttestationError ? undefined : itself,
    refusal: judged instanceof AttestationError ? judged : undefined,
    isRootNamed: roots !== undefined,
    isFetched,
  }
}

/** Those of `--root`, or those that the configuration trusts for the hostname of a bundle that its proxy keeps. */
function rootsFor(
  { config }: NamedBundle,
  hostname: string,
  { root, leafName }: Pick<ShowOptions, 'root' | 'leafName'>,
): readonly TrustedRoot[] | undefined {
  if (root.length > 0) return readRoots(root, { requireLeafName: leafName })
  const trusted = config?.endpoints.filter(({ target }) => target.hostname === hostname) ?? []
  return trusted.length === 0 ? undefined : trusted.flatMap(({ roots }) => roots)
}

async function outcomeOf(judge: () => Promise<Admission>): Promise<Admission | AttestationError> {
  try {
    return await judge()
  } catch (thrown) {
    if (thrown instanceof AttestationError) return thrown
    throw thrown
  }
}

function documentOf(shown: Shown): ShownDeploymentOutput {
  const { subject, hostname, issuedAt, evidence, admission, refusal, isRootNamed } = shown
  type Stage = ShownDeploymentOutput['stage']
  return {
    subject,
    hostname,
    issued_at: issuedAt.toISOString(),
    evidence_digest: admission?.digest ?? null,
    evidence_digest_hex: admission === undefined ? null : toHex(admission.digest),
    verified: isRootNamed && refusal === undefined,
    verified_through: lastStageOf(shown),
    stage: (refusal?.stage ?? null) as Stage,
    reason: refusal?.reason ?? null,
    root_fingerprint: admission?.rootFingerprint ?? null,
    evidence,
  }
}
