import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { LiveFault } from './fault.ts'
import { faults } from './faults.ts'
import { MIGRATIONS, migrationsIn } from './migrations.ts'
import { plant } from './plant.ts'
import { createLook } from './switch.ts'

// Loaded before each program of a deployment (NODE_OPTIONS): sources of the product are read as they stand, and get
// their switches on the way in. Nothing of it lies in the product.
const folder = process.env.PLANTED_FAULTS
if (folder === undefined) throw new Error('PLANTED_FAULTS must be the folder of a switch.')

const ROOT = new URL('../../', import.meta.url)
const byUrl = new Map<string, LiveFault[]>()
for (const fault of faults) {
  const { href } = new URL(fault.file, ROOT)
  byUrl.set(href, [...(byUrl.get(href) ?? []), fault])
}
const migrations = new URL('server/store/migrations.ts', ROOT).href
const FOLDER = "fileURLToPath(new URL('migrations', import.meta.url))"

const look = createLook(folder)
Object.assign(globalThis, { plantedFaultIs: look.is, plantedEither: look.either })

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const own = byUrl.get(url)
    if (own === undefined && url !== migrations) return loaded
    const source = plant(String(Buffer.from(loaded.source as Uint8Array)), own ?? [])
    if (url !== migrations) return { ...loaded, source }
    if (!source.includes(FOLDER))
      throw new Error(`${fileURLToPath(url)} does not say where ${MIGRATIONS} is.`)
    return { ...loaded, source: source.replace(FOLDER, JSON.stringify(migrationsIn(folder))) }
  },
})
