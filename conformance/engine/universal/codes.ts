import type { ErrorCode } from '#contract/errors'
import { errors } from '#contract/errors'
import type { RuleId } from '#contract/rules'
import { catalogue, ruleTexts } from '../rules.ts'

/** The rule that says what comes with a code: the first of the code's own origin that names it with its status. */
export function ruleOfCode(code: ErrorCode): readonly RuleId[] {
  return found.get(code) ?? []
}

const found = new Map(
  Object.entries(errors).map(([code, { status, origin }]): [string, readonly RuleId[]] => {
    const names = (text: string) => text.includes(`\`${code}\``)
    const ids = [...ruleTexts.keys()].filter(
      (id) => catalogue[id].origin === origin && names(ruleTexts.get(id) ?? ''),
    )
    const telling = ids.find((id) => ruleTexts.get(id)?.startsWith(`\`${code}\` is ${status}`))
    return [code, [telling ?? ids[0]].filter((id) => id !== undefined)]
  }),
)
