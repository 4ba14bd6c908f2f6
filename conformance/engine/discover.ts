import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DefinitionError, type Scenario } from './scenario.ts'
import { scenariosOf, type Topic } from './topic.ts'

/** Where the topics are: a file each, or a folder of files where one would be too long. */
const SCENARIOS = join(import.meta.dirname, '..', 'scenarios')

/** A scenario and its file, as a path below the folder of the topics. */
export interface Found {
  readonly scenario: Scenario
  readonly file: string
}

/** Reads every scenario below a folder, in the order of their ids. Throws `DefinitionError` for one that is wrong. */
export async function discover(folder = SCENARIOS): Promise<readonly Found[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => file.endsWith('.ts'))
  const read = await Promise.all(files.map((file) => load(folder, file)))
  const found = read.flat().sort((one, other) => (one.scenario.id < other.scenario.id ? -1 : 1))
  for (const [index, { scenario, file }] of found.entries()) {
    const next = found[index + 1]
    if (next?.scenario.id === scenario.id)
      throw new DefinitionError(`${scenario.id} stands twice, in ${file} and ${next.file}`)
  }
  return found
}

async function load(folder: string, file: string): Promise<readonly Found[]> {
  const [topic = ''] = file.split(/[/.]/)
  const { default: written } = (await import(pathToFileURL(join(folder, file)).href)) as { default?: Topic }
  if (written === undefined) throw new DefinitionError(`${file} exports no scenarios by default`)
  return scenariosOf(topic, written).map((scenario) => ({ scenario, file }))
}
