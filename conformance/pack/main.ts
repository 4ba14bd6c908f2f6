import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { suiteVersion } from '../lock/lock.ts'
import { bundle, OLDEST_NODE } from './bundle.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const DIST = process.argv[2] ?? join(ROOT, 'dist')
const FOLDER = join(DIST, 'conformance')

/** The package's own manifest: it brings all that it needs. */
const own = {
  name: `${manifest.name}-conformance`,
  version: suiteVersion,
  description:
    'The specification as a program: shows whether a router, a proxy or a console keeps its rules.',
  license: manifest.license,
  type: 'module',
  bin: { conformance: 'conformance.js' },
  engines: { node: `>=${OLDEST_NODE}` },
}

// Packs the suite into one archive that npm installs anywhere, offline: `npm run pack:conformance [FOLDER]`.
rmSync(FOLDER, { recursive: true, force: true })
mkdirSync(FOLDER, { recursive: true })
const packages = await bundle(join(FOLDER, 'conformance.js'))
cpSync(join(ROOT, 'conformance', 'vectors', 'corpus'), join(FOLDER, 'corpus'), { recursive: true })
cpSync(join(ROOT, 'LICENSE'), join(FOLDER, 'LICENSE'))
cpSync(join(import.meta.dirname, 'README.md'), join(FOLDER, 'README.md'))
writeFileSync(join(FOLDER, 'LICENSES.txt'), [...packages].toSorted().map(licenceOf).join('\n'))
writeFileSync(join(FOLDER, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
const [{ filename, size }] = JSON.parse(
  execFileSync('npm', ['pack', '--json', '--pack-destination', DIST], { cwd: FOLDER, encoding: 'utf8' }),
) as [{ filename: string; size: number }]
console.log(`${join(DIST, filename)}, ${Math.ceil(size / 1_024)} KiB`)

/** What a package that is in the bundle asks for. */
function licenceOf(folder: string): string {
  // The bundler's paths go from where it runs: a clone may borrow its sources and packages by links.
  const at = resolve(folder)
  const { name, version, license } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
  const file = readdirSync(at).find((one) => /^(licen[cs]e|copying)/i.test(basename(one)))
  const text = file === undefined ? '' : readFileSync(join(at, file), 'utf8')
  return `${name} ${version}: ${license}\n\n${text}\n`
}
