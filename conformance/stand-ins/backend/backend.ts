import type { Server } from 'node:http'
import type { Behaviour } from './behaviour.ts'
import { type ConnectionReport, createConnections } from './connections.ts'
import { createControlServer } from './control-server.ts'
import { createJournal, type Received } from './journal.ts'
import { LOOPBACK, listen, stop } from './listen.ts'
import { createModelServer } from './model-server.ts'
import { MAX_RULES, parseScript, ScriptError } from './parse-script.ts'
import { presets } from './presets.ts'
import { createPlaybook, type Rule, type Script } from './script.ts'

/** How a backend is made; ports are free ones when none is given. */
export interface BackendOptions {
  readonly port?: number
  readonly controlPort?: number
  /** What `GET /v1/models` lists; requests for any model are answered. */
  readonly models?: readonly string[]
  readonly script?: Script
  /** Milliseconds between two words of an answer that no rule is for. */
  readonly paceMs?: number
  readonly now?: () => Date
}

/** A running backend; its methods do what the control address does. */
export interface Backend {
  /** With `/v1`. */
  readonly url: string
  readonly controlUrl: string
  play(script: Script): Promise<void>
  /** In the order of arrival; only those whose body contains the text, when one is given. */
  requests(contains?: string): readonly Received[]
  clearRequests(): void
  connections(): ConnectionReport
  close(): Promise<void>
}

const PACE_MS = 20

/** Starts a scripted model backend on loopback. */
export async function createBackend(options: BackendOptions = {}): Promise<Backend> {
  const { models = ['tiny-chat'], paceMs = PACE_MS, now = () => new Date() } = options
  const usual: Behaviour = { beforeFirstChunkMs: paceMs, betweenChunksMs: paceMs }
  const journal = createJournal(now)
  const connections = createConnections(now)
  const closing = new AbortController()
  let playbook = createPlaybook(parseScript(options.script ?? {}), presets)

  const context = { journal, connections, playbook: () => playbook, models, usual, closing: closing.signal }
  const modelServer = createModelServer(context)
  const port = await listen(modelServer, options.port ?? 0)
  const controlServer = createControlServer({
    putScript: play,
    putRule,
    getScript: () => playbook.script,
    deleteScript: () => play({}),
    requests: (contains) => journal.list(contains),
    clearRequests,
    connections: report,
    closeIdleConnections,
  })
  const controlPort = await listen(controlServer, options.controlPort ?? 0).catch(async (error: unknown) => {
    await stop(modelServer, { connections: 'all' })
    throw error
  })
  await play(playbook.script)

  return {
    url: `http://${LOOPBACK}:${port}/v1`,
    controlUrl: `http://${LOOPBACK}:${controlPort}`,
    play: async (script) => void (await play(script)),
    requests: (contains) => journal.list(contains),
    clearRequests: () => void clearRequests(),
    connections: report,
    close,
  }

  async function play(document: unknown): Promise<Script> {
    const script = parseScript(document)
    playbook = createPlaybook(script, presets)
    await openOrShut(modelServer, port, script)
    return script
  }

  /** Only this rule is read, and answered: a thousand of them at each would be most of what a long run costs. */
  async function putRule(name: string, rule: unknown): Promise<Rule> {
    const { rules: read = [] } = parseScript({ rules: [{ ...(rule as object), name }] })
    const others = (playbook.script.rules ?? []).filter((each) => each.name !== name)
    // Nobody takes a rule back, and a backend serves many runs: the oldest makes room.
    const oldest = others.findLastIndex((each) => each.name !== undefined)
    if (others.length >= MAX_RULES && oldest < 0)
      throw new ScriptError([`rules must have at most ${MAX_RULES} entries`])
    if (others.length >= MAX_RULES) others.splice(oldest, 1)
    playbook = createPlaybook({ ...playbook.script, rules: [...read, ...others] }, presets)
    return read[0]!
  }

  function clearRequests(): object {
    journal.clear()
    return {}
  }

  function report(): ConnectionReport {
    return connections.report(journal.running)
  }

  function closeIdleConnections(): ConnectionReport {
    modelServer.closeIdleConnections()
    return report()
  }

  async function close(): Promise<void> {
    closing.abort()
    await Promise.all([modelServer, controlServer].map((server) => stop(server, { connections: 'all' })))
  }
}

async function openOrShut(
  server: Server,
  port: number,
  { refuseConnections = false }: Script,
): Promise<void> {
  if (refuseConnections) await stop(server, { connections: 'idle' })
  else if (!server.listening) await listen(server, port)
}
