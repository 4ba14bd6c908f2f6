import { DefinitionError, type Scenario } from './scenario.ts'
import { scenariosOf } from './topic.ts'
import { readTopics, type TopicFile } from './topics.ts'

/** A scenario and its file, as a path below the folder of the topics. */
export interface Found {
  readonly scenario: Scenario
  readonly file: string
}

/** Reads every scenario below a folder, in the order of their ids. Throws `DefinitionError` for one that is wrong. */
export async function discover(folder?: string): Promise<readonly Found[]> {
  const found = (await readTopics(folder))
    .flatMap(scenariosIn)
    .sort((one, other) => (one.scenario.id < other.scenario.id ? -1 : 1))
  for (const [index, { scenario, file }] of found.entries()) {
    const next = found[index + 1]
    if (next?.scenario.id === scenario.id)
      throw new DefinitionError(`${scenario.id} stands twice, in ${file} and ${next.file}`)
  }
  return found
}

function scenariosIn([file, written]: TopicFile): readonly Found[] {
  const [topic = ''] = file.split(/[/.]/)
  if (written === undefined) throw new DefinitionError(`${file} exports no scenarios by default`)
  return scenariosOf(topic, written).map((scenario) => ({ scenario, file }))
}
