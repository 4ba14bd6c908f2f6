import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { inject } from 'postject'
import { licencesOf } from '../archive.ts'
import { packagesWithin } from '../bundle.ts'
import { ROOT } from '../recipe.ts'

/** What Node looks for in its own file, and the mark that it turns when there is something. */
const RESOURCE = 'NODE_SEA_BLOB'
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** The Node that a file is made of: this one, as the lockfile has it. */
export const PINNED_NODE = process.execPath

/** Beside the binary: the licences of Node and of all that is within it, which ask to be passed on. */
export const licencesBeside = (file: string): string => `${file}.licences.txt`

/**
 * Makes the proxy one file: a copy of a Node with the program within it. The Node is of any system, and of this version:
 * what is put into it is read by no other. The licences of what it is made of are written beside it.
 */
export async function buildBinary(file: string, node = PINNED_NODE): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'binary-'))
  try {
    const main = join(folder, 'proxy.cjs')
    const { metafile } = await build({
      stdin: { contents: MAIN, resolveDir: ROOT, loader: 'ts' },
      ...{ outfile: main, bundle: true, platform: 'node', format: 'cjs', target: 'node24', minify: true },
      ...{ keepNames: true, logLevel: 'warning', metafile: true },
    })
    // Node's own has those of OpenSSL, V8 and all else that is a part of it.
    const ofNode = readFileSync(join(dirname(PINNED_NODE), '..', 'LICENSE'), 'utf8')
    const licences = [`Node ${process.versions.node}\n\n${ofNode}`, licencesOf(packagesWithin(metafile))]
    writeFileSync(licencesBeside(file), licences.join('\n'))
    const [config, blob] = [join(folder, 'sea.json'), join(folder, 'proxy.blob')]
    const options = { main, output: blob, disableExperimentalSEAWarning: true, useCodeCache: false }
    writeFileSync(config, JSON.stringify(options))
    execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'pipe' })
    copyFileSync(node, file)
    chmodSync(file, 0o755)
    await inject(file, RESOURCE, readFileSync(blob), {
      sentinelFuse: FUSE,
      machoSegmentName: 'NODE_SEA',
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** As proxy/main.ts, which begins with what one file has no use for. */
const MAIN = `import { runProgram } from './proxy/program.ts'
runProgram(process.argv.slice(2)).then((code) => {
  if (code !== undefined) process.exitCode = code
})`
