import { parseArgs } from 'node:util'

/** What the program was asked for. */
export interface Options {
  readonly port: number
  readonly controlPort: number
  readonly models: readonly string[]
  readonly paceMs: number
  readonly scriptFile: string | undefined
  /** Stops when standard input closes, that is, when the starter has gone. */
  readonly withParent: boolean
  readonly json: boolean
  readonly help: boolean
}

/** What `--help` prints. */
export const HELP = `The scripted model backend: an OpenAI-shaped model for tests, on loopback.

  node conformance/stand-ins/backend/main.ts [options]

  --port N           where the model listens (default: 9000; 0: any free port)
  --control-port N   where it is controlled (default: 9001)
  --model NAME       a model to list; may be given again (default: tiny-chat)
  --script FILE      plays this script from the start (JSON; see README.md beside this file)
  --pace MS          time between two words of an answer (default: 20)
  --with-parent      stops when standard input closes: the starter has gone
  --json             prints its addresses as one line of JSON
  --help             prints this`

/** A wrong option; its code is like those of `parseArgs`. */
class OptionError extends Error {
  readonly code = 'ERR_PARSE_ARGS_VALUE'
}

/** Reads the command line. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '9000' },
      'control-port': { type: 'string', default: '9001' },
      model: { type: 'string', multiple: true, default: ['tiny-chat'] },
      script: { type: 'string' },
      pace: { type: 'string', default: '20' },
      'with-parent': { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  return {
    port: parseWhole('port', values.port),
    controlPort: parseWhole('control-port', values['control-port']),
    models: values.model,
    paceMs: parseWhole('pace', values.pace),
    scriptFile: values.script,
    withParent: values['with-parent'],
    json: values.json,
    help: values.help,
  }
}

function parseWhole(option: string, text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new OptionError(`--${option} must be a whole number, not ${text}.`)
  return Number(text)
}
