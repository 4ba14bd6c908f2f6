import { ConfigError, type ConfigProblem } from '../../config/error.ts'
import { credentialWarnings } from './credentials.ts'
import { type Rendered, readFolder } from './folder.ts'
import { problemsOf } from './problems.ts'
import type { Resource } from './resource.ts'
import { identityOf } from './snapshot.ts'

/** Where the rendered resources are. */
export interface DeploymentSource {
  /** The configuration file, which mistakes are reported under. */
  readonly file: string
  readonly folder: string | undefined
  readonly inline: readonly unknown[]
}

/** A deployment as it was read, everything that is wrong with it, and what its operator may not mean to publish. */
export interface Deployment {
  readonly resources: readonly Resource[]
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
}

/** Reads the deployment as it is to be published. */
export function readDeployment({ folder, inline }: Omit<DeploymentSource, 'file'>): Deployment {
  const { rendered, problems } = folder === undefined ? { rendered: [], problems: [] } : readFolder(folder)
  const all = [...rendered, ...inline.map((value, index) => ({ path: `resources[${index}]`, value }))]
  return {
    resources: all.map(({ value }) => value as Resource),
    problems: [...problems, ...checkResources(all)],
    warnings: all.flatMap(({ value, path }) => credentialWarnings(value, path)),
  }
}

/** Reads the deployment. Throws `ConfigError` with every mistake. */
export function renderDeployment(source: DeploymentSource): readonly Resource[] {
  const { resources, problems } = readDeployment(source)
  if (problems.length > 0) throw new ConfigError(source.file, problems)
  return resources
}

/** Every mistake of values that are to be resources. */
export function checkResources(values: readonly Rendered[]): ConfigProblem[] {
  const problems = values.flatMap(({ value, path }) => problemsOf(value, path))
  if (problems.length > 0) return problems
  const identities = values.map(({ value }) => identityOf(value as Resource))
  return values.flatMap(({ path }, index) => {
    const identity = identities[index]!
    const repeated = identity.trim() !== '' && identities.indexOf(identity) < index
    return repeated ? [{ path, message: `is a second ${identity}` }] : []
  })
}
