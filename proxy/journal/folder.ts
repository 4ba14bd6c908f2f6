import { join } from 'node:path'

/** Where evidence is kept in a data folder. */
export function evidenceFolderOf(dataDir: string): string {
  return join(dataDir, 'evidence')
}
