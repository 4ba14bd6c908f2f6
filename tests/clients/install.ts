import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = import.meta.dirname
const LOCK = join(FOLDER, 'package-lock.json')
/** What npm writes when it has installed everything. */
const INSTALLED = join(FOLDER, 'node_modules', '.package-lock.json')

/** Installs the clients by their own lockfile, when that has not been done since it last changed. */
export function installClients(): void {
  if (existsSync(INSTALLED) && statSync(INSTALLED).mtimeMs >= statSync(LOCK).mtimeMs) return
  const command = ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, error } = spawnSync('npm', command, { stdio: 'inherit' })
  if (status === 0) return
  throw new Error('The clients could not be installed: run `npm ci --prefix tests/clients`.', {
    cause: error,
  })
}

if (import.meta.main) installClients()
