// @ts-check

/**
 * @typedef {{ readonly id: string, readonly file: string, readonly rules: readonly string[],
 *   readonly compared: boolean }} Scenario
 * @typedef {{ readonly of: (rule: string) => readonly Scenario[], readonly compared: number,
 *   readonly isComparison: (rule: string) => boolean }} Scenarios
 */

/**
 * The scenarios of the conformance suite by the rules they count for, as its index tells them.
 * @param {import('@typespec/compiler').EmitContext} context
 * @returns {Promise<Scenarios>}
 */
export async function readScenarios({ program, options }) {
  const file = options['scenario-index']
  /** @type {{ scenarios: readonly Scenario[], comparison: readonly string[] }} */
  const { scenarios, comparison } = file
    ? JSON.parse((await program.host.readFile(file)).text)
    : { scenarios: [], comparison: [] }
  return {
    of: (rule) => scenarios.filter(({ rules }) => rules.includes(rule)),
    compared: scenarios.filter(({ compared }) => compared).length,
    isComparison: (rule) => comparison.includes(rule),
  }
}
