import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../recipe.ts'
import { buildBinary, licencesBeside, PINNED_NODE } from './build.ts'
import { buildDebian } from './debian.ts'

/** What Debian calls the processors that Node names. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

// The proxy as one file, and as a package of Debian: `npm run pack:binary [-- --deb] [--node FILE --for SYSTEM] [--into FOLDER]`.
const { values } = parseArgs({
  options: {
    into: { type: 'string', default: join(ROOT, 'dist') },
    node: { type: 'string', default: PINNED_NODE },
    for: { type: 'string', default: `${process.platform}-${process.arch}` },
    deb: { type: 'boolean', default: false },
  },
})
const into = resolve(values.into)
mkdirSync(into, { recursive: true })
const file = join(into, `proxy-${values.for}`)
await buildBinary(file, values.node)
tell(file)
tell(licencesBeside(file))
const architecture = ARCHITECTURES[values.for.replace('linux-', '')]
// Its completion is what the binary itself prints.
if (values.deb && architecture !== undefined) tell(buildDebian(file, into, architecture))

function tell(made: string): void {
  console.log(`${made}, ${(statSync(made).size / 1_000_000).toFixed(1)} MB`)
}
