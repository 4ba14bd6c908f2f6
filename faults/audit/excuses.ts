import type { Happened } from '../plan/fault.ts'
import type { Excuses } from './compare.ts'

/** The router that requests through the proxy come to. */
const BEHIND_PROXY = 'router-0'

/** What ends a request before the router, without its doing. */
const before = ['proxy', 'platform']

/** A router corrects a record as soon as it hears of its database again: a kill long after is no excuse (ours). */
const CORRECTED_MS = 60_000

/** Reads excuses off what has happened so far. */
export function excusesOf(happened: readonly Happened[]): Excuses {
  const all = happened.filter(({ missed }) => missed === undefined)
  return {
    wasKilled({ way, begunMs, endedMs }) {
      const router = way === 'proxy' ? BEHIND_PROXY : way
      return all
        .filter(({ atMs }) => atMs >= begunMs && atMs <= endedMs + CORRECTED_MS)
        .some(({ fault: { kind, subject } }) => kind === 'kill' && subject === router)
    },
    wasCutOff({ way, begunMs, endedMs }) {
      if (way !== 'proxy') return false
      return all
        .filter(({ atMs, fault }) => atMs <= endedMs && atMs + fault.lastsMs >= begunMs)
        .some(({ fault: { kind, subject } }) => kind === 'withdraw' || before.includes(subject))
    },
  }
}
