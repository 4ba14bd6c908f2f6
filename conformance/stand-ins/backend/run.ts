import { readFileSync } from 'node:fs'
import { createBackend } from './backend.ts'
import { HELP, parseOptions } from './options.ts'
import { parseScript } from './parse-script.ts'

const EXIT_ERROR = 1
const EXIT_USAGE = 2

/** Runs the scripted backend as a command line says, and resolves when it was asked to stop. */
export async function runBackend(args: readonly string[]): Promise<void> {
  try {
    await start(args)
  } catch (thrown) {
    const error = thrown as NodeJS.ErrnoException
    console.error(`The scripted backend does not start: ${error.message}`)
    process.exitCode = error.code?.startsWith('ERR_PARSE_ARGS') ? EXIT_USAGE : EXIT_ERROR
  }
}

async function start(args: readonly string[]): Promise<void> {
  const { help, json, withParent, scriptFile, ...options } = parseOptions(args)
  if (help) return console.log(HELP)
  const script = scriptFile === undefined ? {} : parseScript(JSON.parse(readFileSync(scriptFile, 'utf8')))
  const backend = await createBackend({ ...options, script })
  const { url, controlUrl } = backend
  console.log(json ? JSON.stringify({ url, controlUrl }) : `model   ${url}\ncontrol ${controlUrl}`)
  await new Promise<void>((resolve) => {
    let watch: NodeJS.Timeout | undefined
    const stop = (): void => {
      clearInterval(watch)
      // Its pipe would keep this process alive.
      if (withParent) process.stdin.destroy()
      void backend.close().then(resolve)
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
    if (withParent) process.stdin.resume().once('end', stop)
    watch = watchParent(stop)
  })
}

/** How often the parent is looked for (ours). */
const WATCH_MS = 200

/** A signal ends `npx` and passes its child by: without its parent it would hold the port for ever. */
function watchParent(stop: () => void): NodeJS.Timeout | undefined {
  if (process.env.npm_command !== 'exec') return undefined
  const parent = process.ppid
  return setInterval(() => {
    if (process.ppid !== parent) stop()
  }, WATCH_MS)
}
