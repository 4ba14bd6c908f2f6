import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of Debian, by its exact bytes. */
export interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly architecture: 'amd64'
  /** SHA-256 of the `.deb`, in hexadecimal. */
  readonly sha256: string
}

/** What Node links to on Debian 12, and nothing else: no shell, no package manager. */
export const debianPackages: readonly DebianPackage[] = [
  {
    name: 'gcc-12-base',
    version: '12.2.0-14+deb12u1',
    architecture: 'amd64',
    sha256: '1896a2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619',
  },
  {
    name: 'libc6',
    version: '2.36-9+deb12u14',
    architecture: 'amd64',
    sha256: 'ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf',
  },
  {
    name: 'libgcc-s1',
    version: '12.2.0-14+deb12u1',
    architecture: 'amd64',
    sha256: '3016e62cb4b7cd8038822870601f5ed131befe942774d0f745622cc77d8a88f7',
  },
  {
    name: 'libstdc++6',
    version: '12.2.0-14+deb12u1',
    architecture: 'amd64',
    sha256: '5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d',
  },
]

/** The name that Debian gives the file; `apt-get download` writes a `:` of a version as `%3a`. */
export function fileOf({ name, version, architecture }: DebianPackage): string {
  return `${name}_${version.replaceAll(':', '%3a')}_${architecture}.deb`
}

/**
 * Lays the packages out below a folder. Each comes from `kept`, where it may lie already, or by `apt-get download`,
 * and is used only if it has the bytes that are written above.
 */
export function layOutDebian(root: string, kept: string): void {
  mkdirSync(kept, { recursive: true })
  for (const one of debianPackages) execFileSync('dpkg-deb', ['--extract', bring(one, kept), root])
}

function bring(one: DebianPackage, kept: string): string {
  const file = join(kept, fileOf(one))
  if (!existsSync(file)) download(one, kept)
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
  if (sha256 !== one.sha256)
    throw new Error(`${file} has the SHA-256 ${sha256}, not ${one.sha256}: delete it, and build again.`)
  return file
}

function download(one: DebianPackage, kept: string): void {
  // As root, apt hands downloads to a user of its own, who may not write just anywhere.
  const sandbox = ['-o', 'APT::Sandbox::User=root']
  try {
    execFileSync('apt-get', [...sandbox, 'download', `${one.name}=${one.version}`], {
      cwd: kept,
      stdio: 'pipe',
    })
  } catch (cause) {
    throw new Error(
      `${fileOf(one)} is not to be had from this machine's sources of packages. Debian keeps old versions at its ` +
        `snapshot archive: put the file into ${kept}, and build again.`,
      { cause },
    )
  }
}
