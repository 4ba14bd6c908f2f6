import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A system of Debian's in a folder: `dpkg` and `apt-get` install there, and touch nothing of the machine. */
export interface DebianRoot {
  readonly folder: string
  /** Runs dpkg on it; gives what it printed. */
  dpkg(...args: readonly string[]): string
  /** Runs apt-get on it, with an answer of yes; gives what it printed. */
  apt(...args: readonly string[]): string
  /** Every file of packages, by its path, and what dpkg remembers of one. */
  files(): readonly string[]
  remembered(name: string): readonly string[]
}

/** Makes one that has what this machine has, as far as anybody asks it, so that what a package depends on is looked for. */
export function createDebianRoot(folder: string): DebianRoot {
  const state = join(folder, 'var', 'lib', 'dpkg')
  const folders = ['var/lib/apt/lists/partial', 'var/cache/apt/archives/partial', 'var/log/apt']
  const settings = ['etc/apt/sources.list.d', 'etc/apt/preferences.d']
  for (const one of [...folders, ...settings]) mkdirSync(join(folder, one), { recursive: true })
  for (const part of ['info', 'updates', 'triggers']) mkdirSync(join(state, part), { recursive: true })
  copyFileSync('/var/lib/dpkg/status', join(state, 'status'))
  const flags = [`--root=${folder}`, '--force-not-root', `--log=${join(folder, 'var/log/dpkg.log')}`]
  const options = [
    `Dir::State=${folder}/var/lib/apt`,
    `Dir::State::status=${state}/status`,
    `Dir::Cache=${folder}/var/cache/apt`,
    `Dir::Etc=${folder}/etc/apt`,
    `Dir::Log=${folder}/var/log/apt`,
    ...flags.map((flag) => `DPkg::Options::=${flag}`),
    // It is nobody else's: no lock, no user to become, no terminal.
    ...['Debug::NoLocking=true', 'APT::Sandbox::User=root', 'DPkg::Use-Pty=0'],
  ].flatMap((option) => ['-o', option])
  return {
    folder,
    dpkg: (...args) => execute('dpkg', [...flags, ...args]),
    apt: (...args) => execute('apt-get', [...options, '--yes', ...args]),
    files: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter(
          (entry) =>
            entry.isFile() && !/^(var|etc\/apt)(\/|$)/.test(entry.parentPath.slice(folder.length + 1)),
        )
        .map(({ parentPath, name }) => join(parentPath, name)),
    remembered: (name) => readdirSync(join(state, 'info')).filter((file) => file.startsWith(name)),
  }
}

/** Its complaints are many: of each package of the machine it has no list of files. */
function execute(program: string, args: readonly string[]): string {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' }
  return execFileSync(program, args, {
    ...{ encoding: 'utf8', env, maxBuffer: 64_000_000 },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
