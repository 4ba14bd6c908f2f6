import { visible } from '#base/foreign-text.ts'

/** One mistake of a configuration file, at its path (`models[0].pricing`) or line. */
export interface ConfigProblem {
  readonly path: string
  readonly message: string
}

/** Every mistake of one configuration file at once; commands exit with 4 on it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly file: string
  readonly problems: readonly ConfigProblem[]

  constructor(file: string, problems: readonly ConfigProblem[]) {
    const list = problems.map(({ path, message }) => `  ${visible(`${path}: ${message}`)}`).join('\n')
    super(
      `${visible(file)} has ${problems.length === 1 ? 'a mistake' : `${problems.length} mistakes`}:\n${list}`,
    )
    this.file = file
    this.problems = problems
  }
}
