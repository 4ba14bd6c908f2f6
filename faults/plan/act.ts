import type { World } from '../world/world.ts'
import type { Fault, FaultKind } from './fault.ts'

/** Mends what was broken. */
type Mend = () => Promise<void> | void

/** Breaks something; the result mends it. */
type Act = (world: World, fault: Fault) => Promise<Mend> | Mend

/** One entry for each kind. */
export const acts: Readonly<Record<FaultKind, Act>> = {
  async kill(world, { subject }) {
    const seat = world.seat(subject)
    await seat.kill()
    return () => seat.ensureRunning()
  },
  pause(world, { subject }) {
    const seat = world.seat(subject)
    seat.pause()
    return () => seat.resume()
  },
  'cut-database'({ database }) {
    database.cutConnections()
    return () => undefined
  },
  'stall-commits': ({ database }) => database.stallCommits(),
  async 'disk-full'({ database }) {
    const giveBack = await database.fillDisk()
    return async () => {
      giveBack()
      await database.ensureRunning()
    }
  },
  clock(world, { subject, stepMs = 0 }) {
    const clocked = [world.proxy, ...world.routers].find(({ seat }) => seat.name === subject)
    clocked?.step(stepMs)
    return () => clocked?.step(-stepMs)
  },
  async rotate({ platform }, { subject }) {
    await platform.control(`/rotate/${subject}`)
    return () => undefined
  },
  async withdraw({ platform }) {
    await platform.control('/rotate/deployment')
    return async () => void (await platform.control('/rotate/deployment', { restore: true }))
  },
  async 'fail-over'({ database }) {
    if (!database.failOver) throw new Error('The database is no pair.')
    return await database.failOver()
  },
}
