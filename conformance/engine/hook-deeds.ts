import { isDeepStrictEqual } from 'node:util'
import type { ControlOperation, ControlOperations } from '#contract/control'

type Members = Readonly<Record<string, unknown>>

const SETTINGS = [
  'model_scope',
  'requests_per_minute',
  'tokens_per_minute',
  'spend_limit_micros',
  'expires_at',
]

/** Whoever keeps whole seconds has done as asked. */
const MAX_OFF_MS = 1_000

/** What a hook's answer has to show of what was asked for, by the names of the request. */
const shown: Readonly<Partial<Record<ControlOperation, readonly string[]>>> = {
  createWorkspace: ['balance_micros'],
  createKey: [...SETTINGS, 'revoked'],
  updateKey: SETTINGS,
}

/**
 * The first thing that a hook was asked for and that its answer does not show, with what it shows instead; undefined
 * when it did everything. A router is not judged by what its hook has not done.
 */
export function undoneBy<Op extends ControlOperation>(
  operation: Op,
  request: ControlOperations[Op]['request'],
  answer: Members,
): string | undefined {
  const asked = request as Members
  if (operation === 'revokeKey') return isRevoked(answer) ? undefined : 'revoked: true is not in its answer'
  for (const name of shown[operation] ?? []) {
    if (asked[name] === undefined || isShown(name, asked[name], answer)) continue
    const [wanted, found] = [asked[name], name === 'revoked' ? answer.state : answer[name]]
    return `${name}: ${JSON.stringify(wanted)} is not in its answer, which says ${JSON.stringify(found) ?? 'nothing'}`
  }
  return undefined
}

function isShown(name: string, wanted: unknown, answer: Members): boolean {
  const found = answer[name]
  if (name === 'revoked') return wanted === false || isRevoked(answer)
  if (wanted === null || wanted === undefined) return found === null || found === undefined
  if (name === 'expires_at')
    return Math.abs(Date.parse(String(found)) - Date.parse(String(wanted))) < MAX_OFF_MS
  if (Array.isArray(wanted) && Array.isArray(found))
    return isDeepStrictEqual(wanted.toSorted(), found.toSorted())
  return found === wanted
}

function isRevoked({ state, revoked_at: at }: Members): boolean {
  return state === 'revoked' || typeof at === 'string'
}
