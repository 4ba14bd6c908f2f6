import { type BuildOptions, build, type Metafile } from 'esbuild'

/** What every engine has that is asked for: Node 20 and the browsers of its day. */
const TARGET = ['es2022', 'node20.11']

/** Writes a library as one module that any engine runs; gives the folders of the packages that are in it. */
export async function bundleLibrary(
  entry: string,
  outfile: string,
  options: BuildOptions = {},
): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    ...{ entryPoints: [entry], outfile, bundle: true, metafile: true, format: 'esm', target: TARGET },
    logLevel: 'warning',
    ...options,
  })
  return packagesWithin(metafile!)
}

/** The folders of the packages that a bundle took something from. */
export function packagesWithin({ inputs }: Metafile): ReadonlySet<string> {
  const found = Object.keys(inputs).map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0])
  return new Set(found.filter((folder) => folder !== undefined))
}
