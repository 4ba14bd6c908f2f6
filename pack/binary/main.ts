import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../recipe.ts'
import { buildBinary, licencesBeside, PINNED_NODE } from './build.ts'
import { buildDebian } from './debian.ts'
import { checkMachine, fetchNode, OWN_SYSTEM } from './node.ts'

/** What Debian calls the processors that Node names. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

const HELP = `usage: npm run pack:binary -- [options]
  Makes the proxy one file, with the Node that it runs on.

  --for SYSTEM    linux-x64, linux-arm64, …: the lockfile's Node of that system is fetched (default: this system)
  --node FILE     a Node of that system and of this version, in place of that
  --deb           a Debian package of it, too
  --into FOLDER   where it is written (default: dist)`

const { values } = parseArgs({
  options: {
    into: { type: 'string', default: join(ROOT, 'dist') },
    node: { type: 'string' },
    for: { type: 'string', default: OWN_SYSTEM },
    deb: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(HELP)
else await make(values.for, resolve(values.into))

async function make(system: string, into: string): Promise<void> {
  mkdirSync(into, { recursive: true })
  const fetched = mkdtempSync(join(tmpdir(), 'node-'))
  try {
    const own = system === OWN_SYSTEM ? PINNED_NODE : undefined
    const node = values.node ?? own ?? fetchNode(system, fetched)
    checkMachine(node, system)
    const file = join(into, `proxy-${system}`)
    await buildBinary(file, node)
    tell(file)
    tell(licencesBeside(file))
    const architecture = ARCHITECTURES[system.replace('linux-', '')]
    if (values.deb && architecture !== undefined) tell(buildDebian(file, into, architecture))
    if (system !== OWN_SYSTEM) console.log(`Not run: this is ${OWN_SYSTEM}.`)
  } finally {
    rmSync(fetched, { recursive: true })
  }
}

function tell(made: string): void {
  console.log(`${made}, ${(statSync(made).size / 1_000_000).toFixed(1)} MB`)
}
