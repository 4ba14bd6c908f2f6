import { existsSync, readFileSync, rmSync } from 'node:fs'
import { CONFIG_MARK } from './config-file.ts'
import { stopStrayDatabase } from './database.ts'
import { OptionError, parseResetOptions, RESET_HELP } from './options.ts'
import { DEFAULT_DATA_DIR, type Places, placesIn } from './places.ts'
import { stopProcess } from './processes.ts'
import { claim, findStarter } from './starter.ts'

const EXIT_ERROR = 1
const EXIT_USAGE = 2
const PATIENCE_MS = 10_000

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  try {
    const { dataDir, help } = parseResetOptions(args)
    if (!help) return await reset(placesIn(dataDir))
    console.log(RESET_HELP)
    return 0
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    console.error(error.message)
    return EXIT_USAGE
  }
}

async function reset(places: Places): Promise<number> {
  const { dataDir } = places
  if (!isOurs(places)) return refuse(`${dataDir} was not made by npm start, so it is left as it is.`)
  const claimed = claim(places)
  if (!claimed) {
    const pid = findStarter(places)?.pid
    return refuse(`The stack is up. Stop it first: press Ctrl-C where npm start runs, or kill ${pid}.`)
  }
  for (const child of claimed.former?.children ?? []) await stopProcess(child, PATIENCE_MS)
  const databaseFolder = await stopStrayDatabase(dataDir)
  for (const folder of [databaseFolder, dataDir]) rmSync(folder, { recursive: true, force: true })
  console.log(`Everything in ${dataDir} is forgotten.`)
  return 0
}

// A slip of the pen after --data must not delete a stranger's folder.
function isOurs({ dataDir, routerConfig }: Places): boolean {
  if (dataDir === DEFAULT_DATA_DIR) return true
  return existsSync(routerConfig) && readFileSync(routerConfig, 'utf8').startsWith(CONFIG_MARK)
}

function refuse(message: string): number {
  console.error(message)
  return EXIT_ERROR
}
