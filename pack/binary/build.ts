import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { inject } from 'postject'
import { ROOT } from '../recipe.ts'

/** What Node looks for in its own file, and the mark that it turns when there is something. */
const RESOURCE = 'NODE_SEA_BLOB'
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/** The Node that a file is made of: this one, as the lockfile has it. */
export const PINNED_NODE = process.execPath

/**
 * Makes the proxy one file: a copy of a Node with the program within it. The Node is of any system, and of this version:
 * what is put into it is read by no other.
 */
export async function buildBinary(file: string, node = PINNED_NODE): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'binary-'))
  try {
    const main = join(folder, 'proxy.cjs')
    await build({
      stdin: { contents: MAIN, resolveDir: ROOT, loader: 'ts' },
      ...{ outfile: main, bundle: true, platform: 'node', format: 'cjs', target: 'node24', minify: true },
      ...{ keepNames: true, logLevel: 'warning' },
    })
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
