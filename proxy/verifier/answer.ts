import { AttestationError, verifyBundle } from '#attestation'
import { messageOf } from '#base/thrown.ts'
import type { VerifierAnswer } from '#contract/models'
import { checkStatus } from '#egress/evidence/fetch.ts'
import { parseQuestion, type Question, RequestError } from './question.ts'

/** Judges one request with the core that the proxy judges with; it never throws. */
export async function answer(text: string): Promise<VerifierAnswer> {
  let id = ''
  try {
    const question = parseQuestion(text)
    id = question.id
    await judge(question)
    return { id, outcome: 'accept', stage: null, reason: null }
  } catch (thrown) {
    return { id: id || idOf(text), ...outcomeOf(thrown) }
  }
}

async function judge({ status, bytes, expected, vendors }: Question): Promise<void> {
  checkStatus(status)
  await verifyBundle(bytes, expected, vendors)
}

function outcomeOf(thrown: unknown): Omit<VerifierAnswer, 'id'> {
  const message = messageOf(thrown)
  if (thrown instanceof AttestationError) {
    const stage = thrown.stage as NonNullable<VerifierAnswer['stage']>
    return { outcome: 'reject', stage, reason: thrown.reason, message }
  }
  const outcome = thrown instanceof RequestError ? 'malformed' : 'internal'
  return { outcome, stage: null, reason: null, message }
}

/** The id of a request that is not as it should be, so that its answer can still be told from others. */
function idOf(text: string): string {
  try {
    return String((JSON.parse(text) as { readonly id?: unknown } | null)?.id ?? '')
  } catch {
    return ''
  }
}
