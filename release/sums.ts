import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** What signatures of releases are for: one that was made for something else does not hold here. */
const NAMESPACE = 'confidential-inference-router-release'

/** The file of checksums, in a release's folder. */
const SUMS = 'SHA256SUMS'

/** Writes the checksums of all that lies below a folder, as `sha256sum --check` reads them; gives the names. */
export async function writeSums(folder: string): Promise<readonly string[]> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .toSorted()
  const lines: string[] = []
  for (const name of names) {
    if (/[\n\\]/.test(name)) throw new Error(`A name that cannot stand in ${SUMS}: ${JSON.stringify(name)}`)
    lines.push(`${await sha256(join(folder, name))}  ${name}\n`)
  }
  writeFileSync(join(folder, SUMS), lines.join(''))
  return names
}

/** Signs the checksums by a key of SSH, beside them as `SHA256SUMS.sig`. */
export function signSums(folder: string, key: string): void {
  sign(join(folder, SUMS), key)
}

/** Throws where a key does not sign: to hear of it behind hours of tests is too late. */
export function trySigning(key: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'release-key-'))
  try {
    writeFileSync(join(folder, 'nothing'), '')
    sign(join(folder, 'nothing'), key)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function sign(file: string, key: string): void {
  const args = ['-Y', 'sign', '-f', key, '-n', NAMESPACE, file]
  execFileSync('ssh-keygen', args, { stdio: ['ignore', 'pipe', 'pipe'] })
}

async function sha256(file: string): Promise<string> {
  const digest = createHash('sha256')
  await pipeline(createReadStream(file), digest)
  return digest.digest('hex')
}
