import { join, relative, sep } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { readTopics } from '../../conformance/engine/topics.ts'
import { provenance } from '../../conformance/report/provenance.ts'
import { packagesWithin } from '../bundle.ts'

const CONFORMANCE = join(import.meta.dirname, '..', '..', 'conformance')

/** The oldest Node on which the package runs. */
export const OLDEST_NODE = '20.11'

/** CommonJS packages in a bundle of modules ask for Node's own modules by `require`. */
const BANNER = `#!/usr/bin/env node
import { createRequire } from 'node:module'
const require = createRequire(import.meta.url)`

/** Writes the suite as one file; gives the folders of the packages that are in it. */
export async function bundle(outfile: string): Promise<ReadonlySet<string>> {
  const { metafile } = await build({
    ...{ entryPoints: [join(CONFORMANCE, 'main.ts')], outfile, bundle: true, metafile: true },
    ...{ platform: 'node', format: 'esm', target: `node${OLDEST_NODE}`, banner: { js: BANNER } },
    inject: [join(import.meta.dirname, 'node20.js')],
    plugins: [inPlaceOf('engine/topics.ts', topics), inPlaceOf('report/provenance.ts', origin)],
    logLevel: 'warning',
  })
  return packagesWithin(metafile)
}

/** Has what a file of the suite says taken from elsewhere. */
function inPlaceOf(file: string, contents: () => Promise<string> | string): Plugin {
  return {
    name: file,
    setup: ({ onLoad }) => {
      const suffix = [CONFORMANCE.split(sep).at(-1), file].join('/').replaceAll('.', '\\.')
      onLoad({ filter: new RegExp(`${suffix}$`) }, async ({ path }) => ({
        contents: await contents(),
        loader: 'ts',
        resolveDir: join(path, '..'),
      }))
    },
  }
}

/** Every topic, imported by name. */
async function topics(): Promise<string> {
  const folder = join(CONFORMANCE, 'scenarios')
  const files = (await readTopics(folder)).map(([file]) => file).toSorted()
  const from = (file: string) =>
    JSON.stringify(`./${relative(join(CONFORMANCE, 'engine'), join(folder, file)).replaceAll(sep, '/')}`)
  return [
    ...files.map((file, index) => `import topic${index} from ${from(file)}`),
    `const topics = [${files.map((file, index) => `[${JSON.stringify(file)}, topic${index}]`).join(', ')}]`,
    'export const readTopics = async () => topics',
  ].join('\n')
}

/** Where this suite comes from, as it is when it is packed. */
function origin(): string {
  return `export const provenance = () => (${JSON.stringify(provenance())})`
}
