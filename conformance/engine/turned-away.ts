import type { RuleId } from '#contract/rules'
import { type Exchange, textOf } from './http/exchange.ts'
import { ruleTexts } from './rules.ts'

/** Paths that a key opens, below any base address, and how rules write them. */
const PATHS: readonly (readonly [RegExp, string])[] = [
  [/^POST \S*\/chat\/completions$/, '`POST /chat/completions`'],
  [/^POST \S*\/completions$/, '`POST /completions`'],
  [/^POST \S*\/embeddings$/, '`POST /embeddings`'],
  [/^GET \S*\/models$/, '`GET /models`'],
  [/^GET \S*\/models\/\S+$/, '`GET /models/{id}`'],
  [/^GET \/\.well-known\/platform-evidence$/, '`GET /.well-known/platform-evidence`'],
]
/** Paths that everybody may ask, and the rules of who may, and that they are there. */
const PUBLIC: readonly (readonly [RegExp, readonly RuleId[]])[] = [
  [/^GET \S*\/evidence(?:\/[^/\s]+)?$/, ['EVID-01', 'EVID-09', 'EP-16', 'EP-18']],
  [/^GET \S*\/invites\/[^/\s]+$/, ['INV-02', 'EP-19']],
]
const RECORD = /^GET \S*\/generation$/

/** Rules of who is let in: what a 401 for a key that works can break. */
const OF_KEYS: readonly RuleId[] = [
  ...(['AUTH-01', 'AUTH-06', 'AUTH-07', 'AUTH-12', 'AUTH-16', 'KEY-01', 'KEY-05', 'KEY-12'] as const),
  ...(['KEY-13', 'KEY-14', 'KEY-21', 'KEY-22', 'KEY-23'] as const),
]

/** Rules of what a key may be used for: what a 403 can break. */
const OF_SCOPES: readonly RuleId[] = [
  ...(['AUTH-08', 'AUTH-09', 'KEY-07', 'KEY-08', 'KEY-17', 'MODL-20', 'MODL-21', 'ERR-13'] as const),
]

/** Rules of all paths: what a 404 of one can break beside the rules that name it. */
const OF_PATHS: readonly RuleId[] = ['EP-01', 'EP-22', 'SRV-02', 'SRV-05', 'SRV-06', 'SRV-07', 'AUTH-04']

/**
 * Which of the rules that are shown an answer breaks that came in place of another one. Who turns a caller away as a whole
 * says nothing of what was asked for: that can break rules of keys, of scopes or of the path, and leaves others untold.
 */
export function brokenInPlace(exchange: Exchange, shown: readonly RuleId[]): readonly RuleId[] {
  const spoken = spokenOf(exchange)
  // A rule may speak of that very status: what a backend's 401 becomes.
  const isNamed = (rule: RuleId) => new RegExp(`\\b${exchange.status}\\b`).test(ruleTexts.get(rule) ?? '')
  return spoken === undefined ? shown : shown.filter((rule) => spoken(rule) || isNamed(rule))
}

/** Of which rules a refusal speaks; undefined where it may speak of any. */
function spokenOf(exchange: Exchange): ((rule: RuleId) => boolean) | undefined {
  const { sent, status } = exchange
  const asked = `${sent.method} ${new URL(sent.url).pathname}`
  const open = PUBLIC.find(([path]) => path.test(asked))?.[1]
  if (open !== undefined && status === 401) return (rule) => rule === 'AUTH-04' || open.includes(rule)
  if (open !== undefined && isPathGone(exchange))
    return (rule) => OF_PATHS.includes(rule) || open.includes(rule)
  const written = PATHS.find(([path]) => path.test(asked))?.[1]
  if (written === undefined && !RECORD.test(asked)) return undefined
  const hasKey = Object.keys(sent.headers).some((name) => name.toLowerCase() === 'authorization')
  if (status === 401 && hasKey) return (rule) => OF_KEYS.includes(rule)
  if (status === 403) return (rule) => OF_SCOPES.includes(rule)
  if (status !== 404 || written === undefined || isOfModel(exchange)) return undefined
  return (rule) => OF_PATHS.includes(rule) || (ruleTexts.get(rule)?.includes(written) ?? false)
}

/** Whether such a path is told not to be there: of an endpoint or a code a 404 tells in another form or names it. */
export function isPathGone(exchange: Exchange): boolean {
  const text = textOf(exchange)
  return exchange.status === 404 && /"code"\s*:\s*"not_found"/.test(text) && !/"param"/.test(text)
}

/** Whether a 404 is told of the model that was asked for, and not of the path. */
function isOfModel(exchange: Exchange): boolean {
  return /"code"\s*:\s*"model_not_found"/.test(textOf(exchange))
}
