import { type OperationId, routes } from '#contract/routes'
import type { Need } from '../needs.ts'
import { type Definition, DefinitionError } from '../scenario.ts'
import type { DataDefinition, Step } from './definition.ts'
import { placesIn } from './fill.ts'
import { runStep } from './step.ts'

/** Makes a program of a scenario that is data. Throws `DefinitionError` for a step that asks for nothing. */
export function programOf(data: DataDefinition): Definition {
  const { account, backend, operation, expect, shows, steps: written, run: _, ...description } = data
  if (written.length === 0) throw new DefinitionError('it has no steps')
  const steps = written.map((step) => ({
    ...(step.path === undefined && operation !== undefined && { operation }),
    ...(shows && { shows }),
    ...step,
    expect: { ...expect, ...step.expect },
  }))
  const idle = steps.findIndex((step) => step.operation === undefined && step.path === undefined)
  if (idle >= 0) throw new DefinitionError(`step ${idle + 1} has neither operation nor path`)
  return {
    ...description,
    isNaming: data.rules.length === 1 || steps.every((step) => step.shows !== undefined),
    needs: needsOf({ ...data, steps }),
    async run(context) {
      if (account) await context.own(account)
      if (backend) await context.script(backend)
      for (const step of steps) await runStep(step, context)
    },
  }
}

/** What the steps of a scenario show that they need, beside what is told. */
function needsOf({ needs = [], account, backend, steps }: DataDefinition): readonly Need[] {
  const keys = steps.map(({ key = 'own' }) => key)
  const generates = steps.some(isGenerating)
  return [
    ...new Set<Need>([
      ...needs,
      ...(account ? ['workspace' as const] : []),
      ...(backend || steps.some((step) => step.backend || step.expect?.sent)
        ? ['backendScript' as const]
        : []),
      ...(steps.some(({ expect }) => expect?.debitMicros !== undefined) ? ['debits' as const] : []),
      ...(generates ? ['generation' as const] : keys.includes('own') ? ['key' as const] : []),
      ...keys.filter((key) => key !== 'own' && key !== 'none').map((key): Need => `key:${key}`),
      ...steps.flatMap(({ operation }) => (operation && needsOfOperations[operation]) ?? []),
      ...placesIn(steps)
        .filter(({ name }) => name !== 'chat')
        .map(({ kind, name }) => `${kind}:${name}` as Need),
    ]),
  ]
}

/** What the usual requests of an operation need. */
const needsOfOperations: Readonly<Partial<Record<OperationId, readonly Need[]>>> = {
  createCompletion: ['model:completions'],
  createEmbedding: ['feature:embeddings', 'model:embeddings'],
  getInvitation: ['feature:invitations'],
}

function isGenerating({ operation, expect }: Step): boolean {
  return operation !== undefined && routes[operation].metered && expect?.error === undefined
}
