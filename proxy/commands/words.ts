import type { AttestationError } from '#attestation'
import { shorten, visible } from '#base/foreign-text.ts'
import type { HardwareOutput } from '#contract/models'
import { type ReasonEntry, reasons, type Stage, stages } from '#contract/reasons'
import { hardwareInRows } from '../hardware.ts'

/** What it means that a stage has passed. */
const passed: Readonly<Partial<Record<Stage, string>>> = {
  fetch: 'The bundle was read, and it is for this hostname.',
  'cert-chain': 'The certificates that sign it form a valid chain up to a root.',
  'untrusted-root': 'That root is one that you trust.',
  jws: 'The signature holds, it is fresh, and it covers the whole snapshot.',
  'tls-fingerprint': 'The connection ends at the certificate that was signed for.',
  policy: 'The deployment is one that you approved.',
}

const catalogue: Readonly<Record<string, Readonly<Record<string, ReasonEntry>>>> = reasons

const STAGE_WIDTH = Math.max(...stages.map((stage) => stage.length))
const INDENT = ' '.repeat(STAGE_WIDTH + 10)

/** How the certificate of the connection became known (`channel_binding`). */
export type Binding = 'observed' | 'producer-asserted' | 'none'

/** That a stage passed on the producer's word must not read as if somebody had looked. */
const ASSERTED = 'The producer says which certificate the connection shows; nobody looked.'

/** Stage by stage: what passed, what refused and what mends it, and what was not looked at. */
export function stagesInWords(
  refusal: AttestationError | undefined,
  binding: Binding = 'observed',
): string[] {
  const isAsserted = binding === 'producer-asserted'
  const judged = stages.filter((stage) => stage in passed)
  const end = refusal === undefined ? judged.length : judged.indexOf(refusal.stage)
  return judged.flatMap((stage, index) => {
    if (index < end && stage === 'tls-fingerprint' && isAsserted) return line(stage, 'ok', ASSERTED)
    if (index < end) return line(stage, 'ok', passed[stage] ?? '')
    if (index > end || refusal === undefined) return line(stage, '-', 'Not looked at.')
    return [...line(stage, 'NO', refusal.message), ...remedyOf(refusal)]
  })
}

/**
 * What was seen of the hardware, a line for each thing; the names take so many columns. Nothing is cut: whoever reads
 * Intel's advisories decides by the last one, too.
 */
export function hardwareLines(hardware: HardwareOutput, width: number): string[] {
  return hardwareInRows(hardware).map(([name, text]) => `  ${name.padEnd(width)}  ${visible(text)}`)
}

/** What a refusal means, what mends it and where it is explained; nothing for what is not of the catalogue. */
export function explain(stage: string, reason: string): string[] {
  const entry = findReason(stage, reason)
  return entry === undefined ? [] : [entry.meaning, entry.remedy, `More: ${seeOf(entry)}`]
}

/** The catalogue's entry for a refusal. */
export function findReason(stage: string, reason: string): ReasonEntry | undefined {
  const entries: Readonly<Record<string, ReasonEntry>> | undefined = catalogue[stage]
  return entries !== undefined && Object.hasOwn(entries, reason) ? entries[reason] : undefined
}

/** Where an entry of the catalogue is explained: on a site of the documents, if one is named (CMD-40). */
export function seeOf({ anchor }: ReasonEntry, site = process.env.PROXY_DOCS): string {
  const stage = stages.find((each) => anchor.startsWith(`${each}-`))
  if (stage === undefined || !URL.canParse(site ?? '') || !/^https?:/.test(site!))
    return `generated/reasons.md#${anchor}`
  return `${site!.replace(/\/+$/, '')}/reasons/${stage}/${anchor.slice(stage.length + 1)}.html`
}

function line(stage: Stage, mark: string, text: string): string[] {
  return [`  ${stage.padEnd(STAGE_WIDTH)}  ${mark.padEnd(4)}  ${text}`]
}

function remedyOf({ stage, reason, cause }: AttestationError): string[] {
  const entry = findReason(stage, reason)
  const detail = cause instanceof Error ? firstLineOf(deepest(cause)) : reason
  const mends = entry === undefined ? [] : [`${INDENT}${entry.remedy}`, `${INDENT}More: ${seeOf(entry)}`]
  return detail === '' || detail === reason ? mends : [...mends, `${INDENT}(${shorten(detail)})`]
}

/** Some libraries go on with a drawing, or end with an empty line. */
function firstLineOf({ message }: Error): string {
  return message.split('\n', 1)[0]!.trim()
}

function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error
}
