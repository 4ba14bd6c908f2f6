import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Installs a folder's packages by its own lockfile, when that has not been done since it last changed. They are kept out
 * of the product's: heavy, and for few. Throws with the command to try where npm fails.
 */
export function installPackages(folder: string): void {
  const lock = join(folder, 'package-lock.json')
  // What npm writes when it has installed everything.
  const installed = join(folder, 'node_modules', '.package-lock.json')
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return
  const command = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
  // Standard output may be a document's.
  const { status, error } = spawnSync('npm', command, { stdio: ['ignore', process.stderr, 'inherit'] })
  if (status === 0) return
  throw new Error(`The packages could not be installed: run \`npm ci --prefix ${folder}\`.`, { cause: error })
}
