import manifest from '../package.json' with { type: 'json' }

/** The part of a package.json that differs from package to package. */
export interface Manifest {
  readonly version?: string
  readonly description: string
  /** Oldest Node that it runs on, such as `20.11`. */
  readonly node: string
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
  readonly imports?: Readonly<Record<string, unknown>>
  readonly sideEffects?: false
  /** Names alone: the versions are those that this repository is tested with. */
  readonly dependencies?: readonly string[]
  readonly optionalDependencies?: readonly string[]
}

/** How one package is made. */
export interface Recipe {
  /** Below the scope. */
  readonly name: string
  /** The folder with its README. */
  readonly home: string
  /** Imports whose weight its page tells in the place of `{{name}}`. */
  readonly imports?: Readonly<Record<string, MeasuredImport>>
  /** Writes its files into an empty folder; gives its manifest, and the folders of foreign packages that are in it. */
  write(folder: string): Promise<{ readonly manifest: Manifest; readonly within?: Iterable<string> }>
}

/** What somebody takes of a library. */
export interface MeasuredImport {
  /** What stands between `export` and `from`. */
  readonly names: string
  readonly module: string
}

/** The root of this repository. */
export const ROOT = import.meta.dirname.slice(0, -'/pack'.length)

/** The one scope of all packages. */
export const SCOPE = `@${manifest.name}`

/** Oldest Node of what is not bundled for older ones. */
export const PROJECT_NODE = manifest.engines.node.replace('>=', '')
