// @ts-check
import { key, list, text, writeModule, writeText } from './output.js'
import { catalogueOf } from './rules-catalogue.js'
import { ruleDecorators } from './rules-decorators.js'
import { rulesPage } from './rules-page.js'
import { readScenarios } from './scenarios.js'
import { readVectors } from './vectors.js'

/** Decorators of the rule catalogue, by namespace. */
export const $decorators = { Contract: ruleDecorators }

/**
 * Writes the rule catalogue: as data, as a page and as a typed constant.
 * @param {import('@typespec/compiler').EmitContext} context
 */
export async function emitRules(context) {
  const catalogue = catalogueOf(context.program)
  const scenarios = await readScenarios(context)
  await writeText(context, 'rules.json', rulesJson(catalogue.rules, scenarios))
  await writeText(
    context,
    'rules.md',
    rulesPage(catalogue, { scenarios, vectors: await readVectors(context) }),
  )
  await writeModule(context, 'rules.ts', rulesModule(catalogue.rules))
}

/**
 * One rule a line, so that a change reads as one.
 * @param {readonly import('./rules-catalogue.js').Rule[]} rules
 * @param {import('./scenarios.js').Scenarios} scenarios
 */
function rulesJson(rules, scenarios) {
  const lines = rules.map((rule) => {
    const shown = scenarios.of(rule.id).map(({ id }) => id)
    return JSON.stringify(shown.length > 0 ? { ...rule, scenarios: shown } : rule)
  })
  return `{ "rules": [\n${lines.join(',\n')}\n] }\n`
}

/** @param {readonly import('./rules-catalogue.js').Rule[]} rules */
function rulesModule(rules) {
  const rows = rules.map(
    ({ id, origin, ref, level, subjects, test }) =>
      `  ${key(id)}: { origin: ${text(origin)}, ref: ${text(ref)}, level: ${text(level)}, ` +
      `subjects: ${list(subjects)}, test: ${text(test)} },\n`,
  )
  return `/** Every rule by its id; the texts are in rules.json. */
export const rules = {
${rows.join('')}} as const

/** The id of a rule. */
export type RuleId = keyof typeof rules
`
}
