import { parseArgs } from 'node:util'
import { breaks } from './break/breaks.ts'

/** What a run was asked for. */
export interface Options {
  readonly minutes: number
  readonly seed: number
  /** At most so many episodes; as many as the minutes allow without it. */
  readonly episodes: number | undefined
  /** Only this one, as a violation names it. */
  readonly episode: number | undefined
  readonly routers: number
  readonly clients: number
  readonly failover: boolean
  readonly breakName: string | undefined
  readonly json: boolean
  readonly help: boolean
}

/** What `--help` prints. */
export const HELP = `usage: npm run faults -- [options]
  Starts the whole stack on loopback, breaks it under load, and holds books, records, backend, disk and memory against
  what the clients saw. Exits with 0 when everything agrees, with 1 when something does not.

  --minutes N    begins no further episode after this time (default: 10)
  --seed N       decides faults and requests (default: 1)
  --episodes N   ends after so many episodes
  --episode N    plays this one alone
  --routers N    1 to 3 (default: 3)
  --clients N    that ask one thing after another (default: 24)
  --failover     no episodes: a streaming replica takes over from a killed PostgreSQL, again and again
  --break NAME   for tests: plants a fault that the run has to tell (${Object.keys(breaks).join(', ')})
  --json         prints one document; progress goes to standard error
  --help         prints this`

/** A wrong option. */
export class OptionError extends Error {}

const MOST_ROUTERS = 3
const MOST = 1_000_000_000

/** Reads the command line. Throws an `OptionError` that says what to write instead. */
export function parseOptions(args: readonly string[]): Options {
  const values = parse(args)
  const { break: breakName } = values
  if (breakName !== undefined && !Object.hasOwn(breaks, breakName)) {
    throw new OptionError(`--break must be one of ${Object.keys(breaks).join(', ')}.`)
  }
  const whole = (name: 'minutes' | 'seed' | 'routers' | 'clients', most = MOST) =>
    wholeOf(name, values[name], most)
  const perhaps = (name: 'episodes' | 'episode') =>
    values[name] === undefined ? undefined : wholeOf(name, values[name], MOST)
  return {
    minutes: whole('minutes'),
    seed: whole('seed'),
    episodes: perhaps('episodes'),
    episode: perhaps('episode'),
    routers: whole('routers', MOST_ROUTERS),
    clients: whole('clients'),
    failover: values.failover,
    breakName,
    json: values.json,
    help: values.help,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        minutes: { type: 'string', default: '10' },
        seed: { type: 'string', default: '1' },
        episodes: { type: 'string' },
        episode: { type: 'string' },
        routers: { type: 'string', default: '3' },
        clients: { type: 'string', default: '24' },
        failover: { type: 'boolean', default: false },
        break: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    throw new OptionError((error as Error).message)
  }
}

function wholeOf(name: string, text: string, most: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > most) {
    throw new OptionError(`--${name} must be a whole number from 1 to ${most}.`)
  }
  return value
}
