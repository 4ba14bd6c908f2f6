import type { ProfileResult } from '#contract/models'
import type { RuleId } from '#contract/rules'

type RuleResult = ProfileResult['rules'][number]

/**
 * The given rules that ask a router for nothing but OpenAI's API: a gateway that knows no more than that can keep them. What
 * this specification adds is not among them: its keys, money, records, evidence, limits and codes, pings, and the fields
 * beside OpenAI's. Nor is what it decides otherwise, such as the type of a 401 or an `n` that is only 1.
 */
export const openAiRules: ReadonlySet<RuleId> = new Set<RuleId>([
  // The operations, with a key.
  ...(['SRV-02', 'SRV-06', 'SRV-07', 'SRV-08', 'HDR-01', 'AUTH-02'] as const),
  ...(['EP-02', 'EP-04', 'EP-07', 'EP-09', 'EP-10', 'EP-11'] as const),
  // Requests.
  ...(['REQ-01', 'REQ-02', 'REQ-04', 'REQ-05', 'REQ-06', 'REQ-07', 'REQ-09', 'REQ-10', 'REQ-11'] as const),
  'REQ-12',
  // Answers, and streams of them.
  ...(['MODL-01', 'MODL-05', 'CHAT-01', 'CHAT-03', 'CHAT-04'] as const),
  ...(['STRM-01', 'STRM-03', 'STRM-04', 'STRM-05', 'STRM-08', 'STRM-09'] as const),
  ...(['EVT-01', 'EVT-02', 'EVT-05'] as const),
  // Errors, where name, status and type are OpenAI's.
  ...(['ERR-01', 'ERR-02', 'ERR-03', 'ERR-07', 'ERR-14', 'ERR-23'] as const),
])

/** What the two parts of the given rules are called in reports. */
export const OPENAI_PART = 'OpenAI’s API'
export const BEYOND = 'beyond OpenAI’s API'

/** Whether a rule asks for nothing but OpenAI's API. */
export function isOpenAis({ id }: Pick<RuleResult, 'id'>): boolean {
  return openAiRules.has(id as RuleId)
}

/** Whose a rule is, as reports say it: of the given ones those of OpenAI's API apart. */
export function whose(rule: Pick<RuleResult, 'id' | 'origin'>): string {
  return isOpenAis(rule) ? `${rule.origin}, ${OPENAI_PART}` : rule.origin
}

/** How a role stands with rules, by their states. */
export interface Standing {
  readonly kept: number
  readonly broken: number
  readonly partly: number
  readonly untold: number
}

/** How a router stands with OpenAI's part, and with what the given rules ask beyond it; undefined where none of it was judged. */
export function openAiStanding({
  profile,
  rules,
}: Pick<ProfileResult, 'profile' | 'rules'>):
  | { readonly within: Standing; readonly beyond: Standing }
  | undefined {
  const given = rules.filter(({ origin }) => origin === 'given')
  const within = given.filter(isOpenAis)
  if (profile !== 'router' || within.length === 0) return undefined
  return { within: standingOf(within), beyond: standingOf(given.filter((rule) => !isOpenAis(rule))) }
}

/** `12 of 30 told, 4 untold`. */
export function countStanding({ kept, broken, partly, untold }: Standing): string {
  return `${kept} of ${kept + broken + partly}${untold > 0 ? ` told, ${untold} untold` : ''}`
}

function standingOf(rules: readonly RuleResult[]): Standing {
  const count = (wanted: RuleResult['state']) => rules.filter(({ state }) => state === wanted).length
  return { kept: count('kept'), broken: count('broken'), partly: count('partly'), untold: count('untold') }
}
