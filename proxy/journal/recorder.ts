import { hardwareDocument } from '#egress/hardware.ts'
import type { Admitted, Verdict } from '#egress/verdict/verdict.ts'
import type { RawHeaders } from '../raw-headers.ts'
import type { Refusal } from '../refusal.ts'
import { Answered, type AnswerRecord } from './answered.ts'
import { Bases, type BasesDependencies } from './basis.ts'
import { type DenialCode, Denials, type Journal } from './journal.ts'
import type { LineOf } from './line.ts'
import { createWatcher, type Watcher } from './watcher.ts'

/** What one endpoint tells the journal. */
export interface Recorder {
  verdict(verdict: Verdict): void
  refused(refusal: Refusal): void
  /** Begins to look at an answer; undefined when it is that of no generation. */
  answer(headers: RawHeaders, verdict: Admitted): AnswerRecord | undefined
  /** Tells what has been counted so far. */
  flush(): void
}

/** Remembers nothing. */
export const noRecorder: Recorder = {
  verdict() {},
  refused() {},
  answer: () => undefined,
  flush() {},
}

/** What a recorder is made of. */
export interface RecorderDependencies extends BasesDependencies {
  readonly journal: Journal
}

/** The router's name for a generation, on every answer to an accepted request (HDR-03). */
const GENERATION_HEADER = 'x-router-generation-id'
const GENERATION = /^gen-[0-9A-HJKMNP-TV-Z]{26}$/

/** Creates the recorder of an endpoint. */
export function createRecorder(dependencies: RecorderDependencies): Recorder {
  const { endpoint, hostname, journal } = dependencies
  const denials = new Denials(journal)
  const bases = new Bases(dependencies)

  return {
    verdict: (verdict) => journal.append(lineOf(verdict)),
    refused({ code, ground }) {
      if (ground === undefined) return
      const { stage, reason } = ground
      denials.add({ endpoint, code: code as DenialCode, stage, reason })
    },
    answer(headers, verdict) {
      const id = headers.first(GENERATION_HEADER)
      if (id === undefined || !GENERATION.test(id)) return undefined
      return new Answered(createWatcher(headers), (isComplete, watcher) =>
        journal.append(generationLine(id, isComplete, watcher, verdict)),
      )
    },
    flush: () => denials.flush(),
  }

  function lineOf(verdict: Verdict): Omit<LineOf<'verdict'>, 'seq' | 'prev' | 'time'> {
    const isAdmitted = verdict.state === 'admitted'
    return {
      kind: 'verdict',
      endpoint,
      hostname,
      state: verdict.state === 'disabled' ? 'denied' : verdict.state,
      stage: isAdmitted ? null : verdict.ground.stage,
      reason: isAdmitted ? null : verdict.ground.reason,
      evidence_digest: isAdmitted ? verdict.admission.digest : null,
      cert_fingerprint: isAdmitted ? verdict.admission.certFingerprint : null,
      ...(isAdmitted &&
        verdict.admission.hardware && { hardware: hardwareDocument(verdict.admission.hardware) }),
    }
  }

  function generationLine(
    id: string,
    complete: boolean,
    watcher: Watcher,
    admitted: Admitted,
  ): Omit<LineOf<'generation'>, 'seq' | 'prev' | 'time'> {
    const { model, usage } = watcher.seen()
    return {
      kind: 'generation',
      endpoint,
      id,
      complete,
      model: model ?? null,
      prompt_tokens: usage?.promptTokens ?? null,
      completion_tokens: usage?.completionTokens ?? null,
      cost_micros: usage?.costMicros ?? null,
      served_by: usage?.servedBy ?? null,
      served_digest: usage?.servedDigest ?? null,
      verdict: bases.keep(admitted),
    }
  }
}
