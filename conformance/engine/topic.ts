import type { DataDefinition } from './data/definition.ts'
import { programOf } from './data/program.ts'
import { type Definition, DefinitionError, define, type Scenario } from './scenario.ts'

/** The scenarios of one topic by their names: programs, and data where requests and answers say it all. */
export type Topic = Readonly<Record<string, Definition | DataDefinition>>

/** Makes the scenarios of a topic, with the ids `topic/name`. Throws a `DefinitionError` for one that is wrong. */
export function scenariosOf(name: string, topic: Topic): readonly Scenario[] {
  return Object.entries(topic).map(([own, written]) => {
    const id = `${name}/${own}`
    return define(id, 'steps' in written ? naming(id, () => programOf(written)) : written)
  })
}

function naming<T>(id: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof DefinitionError) throw new DefinitionError(`${id}: ${error.message}`)
    throw error
  }
}
