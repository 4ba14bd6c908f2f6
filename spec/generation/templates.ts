import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MODULE_HEADER } from './text.ts'

const TEMPLATES = join(import.meta.dirname, '..', 'templates')

/** Copies the parts that are written by hand; they name the generated modules from where they stand. */
export async function writeTemplates(folder: string): Promise<void> {
  for (const name of ['client.ts', 'events.ts', 'index.ts']) {
    const text = await readFile(join(TEMPLATES, name), 'utf8')
    await writeFile(join(folder, name), MODULE_HEADER + text.replaceAll("'../../generated/", "'./"))
  }
}
