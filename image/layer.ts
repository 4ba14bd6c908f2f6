import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { create } from 'tar'

/** One layer: an archive that is the same bytes for the same files, whoever wrote it, when and where. */
export interface Layer {
  readonly file: string
  readonly digest: string
  readonly size: number
}

/**
 * Archives what lies below a folder. Neither owners nor times nor the umask of whoever made the files are in it, and
 * its order is that of the names' code units. It is not compressed: what deflate writes depends on the processor.
 */
export async function writeLayer(folder: string, file: string, at: Date): Promise<Layer> {
  const paths = list(folder)
  for (const path of paths) settle(join(folder, path))
  await create({ cwd: folder, file, portable: true, mtime: at, noDirRecurse: true, sync: false }, paths)
  const bytes = readFileSync(file)
  return { file, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, size: bytes.length }
}

/** Every path below a folder, the folders before what is in them. */
function list(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .toSorted((one, other) => (one < other ? -1 : 1))
}

/** A file can be read by all and is run by all or none; nothing has the bits of another user or group. */
function settle(path: string): void {
  const found = lstatSync(path)
  if (found.isSymbolicLink()) return
  if (found.isDirectory()) chmodSync(path, 0o755)
  else chmodSync(path, found.mode & 0o100 ? 0o755 : 0o644)
}
