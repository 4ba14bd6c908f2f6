import { errors } from '#contract/errors'
import type { ScenarioFile } from '#contract/models'
import { type OperationId, routes } from '#contract/routes'
import type { RuleId } from '#contract/rules'
import { isScenarioFile } from '#contract/validators/scenario-file'
import { type ConfigProblem, loadConfig } from '../../../config/load.ts'
import type { AccountSettings } from '../accounts.ts'
import type { Need } from '../needs.ts'
import { define, type Scenario } from '../scenario.ts'
import { placesIn } from './fill.ts'
import { runStep } from './step.ts'

/** Reads a scenario that is data. Throws `ConfigError` with every mistake in it. */
export function loadScenarioFile(file: string, id: string): Scenario {
  const written = loadConfig<ScenarioFile>(file, isScenarioFile, {}, contradictions)
  const { title, rules, subjects, account, backend, steps } = written
  return define({
    id,
    title,
    rules: rules as RuleId[],
    needs: needsOf(written),
    ...(subjects && { subjects }),
    async run(context) {
      if (account) await context.own(settingsOf(account))
      if (backend) await context.script(backend)
      for (const step of steps) await runStep(step, context)
    },
  })
}

/** What the steps of a scenario show that they need, beside what is told. */
function needsOf({ needs = [], account, backend, steps, ...rest }: ScenarioFile): readonly Need[] {
  const keys = steps.map(({ key = 'own' }) => key)
  const places = placesIn({ steps, rest })
  const generates = steps.some(({ operation, expect }) => isMetered(operation) && expect.error === undefined)
  return [
    ...new Set([
      ...(needs as Need[]),
      ...(account ? ['workspace' as const] : []),
      ...(backend || steps.some(({ expect }) => expect.sent) ? ['backendScript' as const] : []),
      ...(steps.some(({ expect }) => expect.debitMicros !== undefined) ? ['ledger' as const] : []),
      ...(generates ? ['generation' as const] : keys.includes('own') ? ['key' as const] : []),
      ...keys.filter((key) => key !== 'own' && key !== 'none').map((key) => `key:${key}` as Need),
      ...steps.flatMap(({ operation }) => needsOfOperations[operation as OperationId] ?? []),
      ...places.filter(({ name }) => name !== 'chat').map(({ kind, name }) => `${kind}:${name}` as Need),
    ]),
  ]
}

/** What the usual requests of an operation need. */
const needsOfOperations: Readonly<Partial<Record<OperationId, readonly Need[]>>> = {
  createCompletion: ['model:completions'],
  createEmbedding: ['feature:embeddings', 'model:embeddings'],
  getInvitation: ['feature:invitations'],
}

function isMetered(operation: string | undefined): boolean {
  return operation !== undefined && routes[operation as OperationId].metered
}

function settingsOf({ scope, ...settings }: NonNullable<ScenarioFile['account']>): AccountSettings {
  return { ...settings, ...(scope && { scope: scope as NonNullable<AccountSettings['scope']> }) }
}

function contradictions({ steps }: ScenarioFile): ConfigProblem[] {
  return steps.flatMap(({ operation, path, expect }, index) => {
    const problems: ConfigProblem[] = []
    const report = (where: string, message: string) =>
      void problems.push({ path: `steps[${index}].${where}`, message })
    if (operation !== undefined && !Object.hasOwn(routes, operation))
      report('operation', 'is not one of the contract')
    if (operation === undefined && path === undefined) report('path', 'is missing, and so is operation')
    if (expect.error !== undefined && !Object.hasOwn(errors, expect.error)) {
      report('expect.error', 'is not a code of the registry')
    }
    return problems
  })
}
