import type { RuleId } from '#contract/rules'

/** Given rules that can be tested and that no fault here breaks, each with the reason. One that has a fault may not stand here. */
export const without: Readonly<Partial<Record<RuleId, string>>> = {}
