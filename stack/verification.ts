import type { VerificationOutput } from '#contract/models'
import { reasons } from '#contract/reasons'
import { isVerificationOutput } from '#contract/validators/verification-output'
import { type Digest, parseDigest, toHex } from '../attestation/digest.ts'
import { runCommand } from './commands.ts'
import { StartFailure } from './failure.ts'
import { HOSTNAME } from './platform-config.ts'

/** Whose evidence is judged, and what is expected of it. */
export interface Subject {
  readonly platformUrl: string
  readonly rootPemFile: string
  readonly pin: string
}

/** Evidence that was admitted. */
export interface Verification {
  readonly hostname: string
  /** Of what is deployed. */
  readonly digest: Digest
}

const REFUSED = 3

/** The words after `bin/proxy` that judge a subject, for people and for ourselves. */
export function verifyArgs({ platformUrl, rootPemFile, pin }: Subject): readonly string[] {
  const hex = toHex(parseDigest(pin))
  return ['verify', platformUrl, '--hostname', HOSTNAME, '--root', rootPemFile, '--pin', hex]
}

/** Judges the evidence with the proxy's own command; anything but an admission is a failure to start. */
export async function verifyEvidence(subject: Subject): Promise<Verification> {
  const { code, output, problem } = await runCommand('proxy', [...verifyArgs(subject), '--json'])
  if (code !== 0 && code !== REFUSED)
    throw new StartFailure(`bin/proxy verify failed with exit code ${code}.`, problem.trimEnd().split('\n'))
  const verdict = parseVerdict(output)
  const isWhole = verdict.verified_through === 'policy' && verdict.channel_binding === 'observed'
  if (code !== 0 || !verdict.admitted || !isWhole) throw refusal(verdict)
  return { hostname: HOSTNAME, digest: parseDigest(verdict.evidence_digest ?? '') }
}

function parseVerdict(output: string): VerificationOutput {
  const document: unknown = JSON.parse(output)
  if (isVerificationOutput(document)) return document as VerificationOutput
  throw new StartFailure('bin/proxy verify printed something else than a verdict.', output.split('\n'))
}

function refusal({ stage, reason }: VerificationOutput): StartFailure {
  const known: Readonly<Record<string, { readonly meaning: string; readonly remedy: string }>> =
    stage === null ? {} : reasons[stage]
  const { meaning = '', remedy = '' } = known[reason ?? ''] ?? {}
  return new StartFailure(`The evidence is refused: ${stage}, ${reason}.`, [meaning, remedy].filter(Boolean))
}
