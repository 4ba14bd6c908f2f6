import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startReference } from '../../conformance/testing/reference.ts'
import { faults } from './faults.ts'
import { plantMigrations } from './migrations.ts'
import { createSwitch, type Switch } from './switch.ts'

/** The reference with every fault in it, of which none or one is live. */
export interface PlantedDeployment extends Pick<Switch, 'turn' | 'watch'> {
  readonly targetFile: string
  stop(): Promise<void>
}

/** Starts the reference; each of its programs plants the faults in what it loads. */
export async function startPlanted(): Promise<PlantedDeployment> {
  const { folder, turn, watch, remove } = createSwitch()
  plantMigrations(
    folder,
    faults.filter(({ file }) => file.endsWith('.sql')),
  )
  const before = process.env.NODE_OPTIONS
  const register = pathToFileURL(join(import.meta.dirname, 'register.ts')).href
  // Programs that are started anew in the midst of it read these as well.
  process.env.NODE_OPTIONS = [before, `--import=${register}`].filter(Boolean).join(' ')
  process.env.PLANTED_FAULTS = folder
  const restore = () => {
    if (before === undefined) delete process.env.NODE_OPTIONS
    else process.env.NODE_OPTIONS = before
    delete process.env.PLANTED_FAULTS
    remove()
  }
  try {
    const reference = await startReference()
    return {
      targetFile: reference.targetFile,
      turn,
      watch,
      async stop() {
        await reference.stop()
        restore()
      },
    }
  } catch (error) {
    restore()
    throw error
  }
}
