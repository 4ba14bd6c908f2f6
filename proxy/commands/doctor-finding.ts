import type { ReasonEntry } from '#contract/reasons'
import type { components } from '#contract/types'
import { seeOf } from './words.ts'

/** One thing that was looked at. */
export type Finding = components['schemas']['DiagnosisCheck']

/** What is looked at. */
export type CheckName = Finding['check']

/** What mends a failure, and where the catalogue explains it. */
export interface Mending {
  readonly remedy?: string | undefined
  readonly entry?: ReasonEntry | undefined
}

/** A check that passed. */
export function ok(check: CheckName, detail: string): Finding {
  return { check, result: 'ok', detail, remedy: null, see: null }
}

/** A check that failed; it always says what to do next. */
export function failed(check: CheckName, detail: string, { remedy, entry }: Mending): Finding {
  return {
    check,
    result: 'failed',
    detail,
    remedy: remedy ?? entry?.remedy ?? 'Report it to the operator.',
    see: entry === undefined ? null : seeOf(entry),
  }
}

/** A check that another one kept from being made: it has not passed (V-12). */
export function notReached(check: CheckName): Finding {
  return { check, result: 'not_reached', detail: 'Not looked at.', remedy: null, see: null }
}
