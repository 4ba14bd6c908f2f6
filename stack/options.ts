import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { DEFAULT_DATA_DIR } from './places.ts'

/** What `npm start` was asked for. */
export interface Options {
  /** Stop after the first answer. */
  readonly exit: boolean
  /** A real OpenAI-compatible server in place of the scripted backend. */
  readonly backend: RealBackend | undefined
  /** Absolute. */
  readonly dataDir: string
  readonly json: boolean
  readonly help: boolean
}

/** A model server that somebody else runs. */
export interface RealBackend {
  /** Base URL with its `/v1`, without a trailing slash. */
  readonly url: string
  /** The model's name there, and its id at the router. */
  readonly model: string
}

/** The command line makes no sense; the message says why. */
export class OptionError extends Error {}

const common = {
  data: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const
const all = {
  ...common,
  exit: { type: 'boolean', default: false },
  backend: { type: 'string' },
  model: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

/** What `npm start -- --help` prints. */
export const HELP = `Starts the whole service on this machine and shows one answer being verified, served, metered and billed.

  npm start                                     stays up until Ctrl-C
  npm start -- --exit                           stops after the first answer
  npm start -- --backend URL --model NAME       asks a real OpenAI-compatible server, for example
                                                --backend http://127.0.0.1:11434/v1 --model llama3.2
                                                (its key, if it wants one, in the variable BACKEND_KEY)
  npm start -- --json                           prints .data/stack.json at the end, and all else to stderr
  npm start -- --data DIR                       keeps its files there (default: .data)
  npm run reset                                 forgets everything: workspaces, keys, ledger, logs

While it is up, .data/stack.json holds its addresses, a key and the process ids.`

/** What `npm run reset -- --help` prints. */
export const RESET_HELP = `Forgets everything that npm start has kept: workspaces, keys, ledger, logs.

  npm run reset
  npm run reset -- --data DIR    the folder that npm start was given (default: .data)`

/** Reads the command line of the starter. Throws `OptionError`. */
export function parseOptions(args: readonly string[]): Options {
  const { exit, backend, model, data, json, help } = parse(
    () => parseArgs({ args: [...args], options: all }).values,
  )
  return {
    exit,
    backend: parseBackend(backend, model),
    dataDir: resolve(data ?? DEFAULT_DATA_DIR),
    json,
    help,
  }
}

/** Reads the command line of the reset. Throws `OptionError`. */
export function parseResetOptions(args: readonly string[]): Pick<Options, 'dataDir' | 'help'> {
  const { data, help } = parse(() => parseArgs({ args: [...args], options: common }).values)
  return { dataDir: resolve(data ?? DEFAULT_DATA_DIR), help }
}

function parse<Values>(read: () => Values): Values {
  try {
    return read()
  } catch (cause) {
    throw new OptionError((cause as Error).message, { cause })
  }
}

function parseBackend(url: string | undefined, model: string | undefined): RealBackend | undefined {
  if (url === undefined && model === undefined) return undefined
  if (url === undefined)
    throw new OptionError('--model needs --backend: the address of the server that has it.')
  if (!model) throw new OptionError('--backend needs --model: the name of a model that this server has.')
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new OptionError(`--backend must be a URL such as http://127.0.0.1:11434/v1, not ${url}.`)
  }
  return { url: url.replace(/\/+$/, ''), model }
}
