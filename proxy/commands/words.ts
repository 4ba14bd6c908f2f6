import type { AttestationError } from '#attestation'
import { reasons, type Stage, stages } from '#contract'

/** What it means that a stage has passed. */
const passed: Readonly<Partial<Record<Stage, string>>> = {
  fetch: 'The bundle was read, and it is for this hostname.',
  'cert-chain': 'The certificates that sign it form a valid chain up to a root.',
  'untrusted-root': 'That root is one that you trust.',
  jws: 'The signature holds, it is fresh, and it covers the whole snapshot.',
  'tls-fingerprint': 'The connection ends at the certificate that was signed for.',
  policy: 'The deployment is one that you approved.',
}

const STAGE_WIDTH = Math.max(...stages.map((stage) => stage.length))
const INDENT = ' '.repeat(STAGE_WIDTH + 10)

/** Stage by stage: what passed, what refused and what mends it, and what was not looked at. */
export function stagesInWords(refusal: AttestationError | undefined): string[] {
  const judged = stages.filter((stage) => stage in passed)
  const end = refusal === undefined ? judged.length : judged.indexOf(refusal.stage)
  return judged.flatMap((stage, index) => {
    if (index < end) return line(stage, 'ok', passed[stage] ?? '')
    if (index > end || refusal === undefined) return line(stage, '-', 'Not looked at.')
    return [...line(stage, 'NO', refusal.message), ...remedyOf(refusal)]
  })
}

function line(stage: Stage, mark: string, text: string): string[] {
  return [`  ${stage.padEnd(STAGE_WIDTH)}  ${mark.padEnd(4)}  ${text}`]
}

function remedyOf({ stage, reason, cause }: AttestationError): string[] {
  const entries: Readonly<Record<string, { readonly remedy: string }>> = reasons[stage]
  const remedy = entries[reason]?.remedy
  const detail = cause instanceof Error ? [`${INDENT}(${deepest(cause).message})`] : []
  return [...(remedy === undefined ? [] : [`${INDENT}${remedy}`]), ...detail]
}

function deepest(error: Error): Error {
  return error.cause instanceof Error ? deepest(error.cause) : error
}
