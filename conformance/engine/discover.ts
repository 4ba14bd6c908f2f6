import { readdirSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadScenarioFile } from './data/file.ts'
import { DefinitionError, type Scenario } from './scenario.ts'

/** Where the scenarios are. */
const SCENARIOS = join(import.meta.dirname, '..', 'scenarios')

/** A scenario and its file, as a path below the folder of the scenarios. */
export interface Found {
  readonly scenario: Scenario
  readonly file: string
}

/** Reads every scenario below a folder, in the order of their ids: programs and data. */
export async function discover(folder = SCENARIOS): Promise<readonly Found[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => /\.(ts|yaml)$/.test(file) && !/(\.test\.ts|\/_[^/]*)$/.test(file))
    .sort()
  const found = await Promise.all(files.map(async (file) => ({ file, scenario: await load(folder, file) })))
  const ids = found.map(({ scenario }) => scenario.id)
  const twice = ids.find((id, index) => ids.indexOf(id) < index)
  if (twice) throw new DefinitionError(`${twice} stands twice`)
  return found
}

async function load(folder: string, file: string): Promise<Scenario> {
  const path = join(folder, file)
  const id = relative(folder, path)
    .replaceAll(sep, '/')
    .replace(/\.\w+$/, '')
  if (file.endsWith('.yaml')) return loadScenarioFile(path, id)
  const { default: scenario } = (await import(pathToFileURL(path).href)) as { default?: Scenario }
  if (scenario === undefined) throw new DefinitionError(`${file} exports no scenario by default`)
  if (scenario.id !== id) throw new DefinitionError(`${file} calls itself ${scenario.id}: the id is the path`)
  return scenario
}
