import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DURABLE } from '../../server/store/testing.ts'
import { startBackend } from './backend/crew.ts'
import { type Cores, pin } from './cpu/cores.ts'
import { canCountInstructions } from './cpu/instructions.ts'
import { heat } from './heat.ts'
import { startLoad } from './load/crew.ts'
import { describeCommit, describeMachine } from './machine.ts'
import type { Measure, Present } from './measures/measure.ts'
import type { Tools } from './measures/turn.ts'
import { type Other, type OtherResult, runOther } from './others.ts'
import type { Results } from './results.ts'
import { goRounds, type Rounds } from './rounds.ts'
import { type Subject, Unavailable } from './subjects/subject.ts'

/** What is to be run. */
export interface Plan extends Pick<Rounds, 'rounds' | 'signal' | 'onTurn'> {
  readonly subjects: readonly Subject[]
  readonly measures: readonly Measure[]
  /** Benchmarks of their own, run behind all rounds. */
  readonly others: readonly Other[]
  /** This process already is where load and model are to be: they inherit it. */
  readonly cores: Cores
  /** How long each is loaded at most before anything is measured, and how long before each turn. */
  readonly heatMs: number
  readonly warmMs: number
  readonly turnMs: number
  /** Told of what goes on besides. */
  say(line: string): void
}

/** Load and model together have the cores that what is measured has not. */
const MOST_PROCESSES = 4

/** Starts everything, measures it, stops everything; then runs the other benchmarks. */
export async function runPlan(plan: Plan): Promise<Results> {
  const machine = describeMachine()
  const commit = describeCommit()
  const startedAt = new Date()
  const { present, unavailable, measures, ...processes } = await measureAll(plan)
  const others = await runOthers(plan)
  return {
    commit,
    startedAt: startedAt.toISOString(),
    seconds: Math.round((Date.now() - startedAt.getTime()) / 1_000),
    machine,
    method: {
      rounds: plan.rounds,
      turnMs: plan.turnMs,
      heatMs: plan.heatMs,
      warmMs: plan.warmMs,
      subjectCore: plan.cores.subject ?? null,
      ...processes,
      durable: Object.entries(DURABLE).map(([name, value]) => `${name} = ${value}`),
    },
    subjects: present.map(({ name }) => plan.subjects.find((subject) => subject.name === name)!),
    unavailable,
    measures,
    others,
  }
}

async function measureAll({ cores, ...plan }: Plan) {
  const processes = Math.min(MOST_PROCESSES, Math.max(1, Math.floor(cores.others.length / 2)))
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const undo: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })]
  try {
    const backend = await startBackend(processes)
    undo.push(() => backend.stop())
    const load = startLoad(processes)
    undo.push(() => load.close())
    const unavailable: Record<string, string> = {}
    const present: Present[] = []
    for (const subject of plan.subjects) {
      plan.signal.throwIfAborted()
      const own = join(folder, subject.name)
      mkdirSync(own)
      plan.say(`Starting ${subject.name}: ${subject.description}.`)
      try {
        const place = { folder: own, backendUrl: backend.url, core: cores.subject }
        const prepared = await subject.prepare(place)
        undo.push(() => prepared.dispose())
        const running = await prepared.start()
        undo.push(() => running.stop())
        present.push({ name: subject.name, measures: subject.measures, prepared, running })
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        unavailable[subject.name] = error.message
        plan.say(`Without ${subject.name}: ${error.message}`)
      }
    }
    const tools: Tools = {
      load,
      ownPids: [...load.pids, ...backend.pids],
      warmMs: plan.warmMs,
      turnMs: plan.turnMs,
      canCountInstructions: canCountInstructions(),
    }
    for (const { name, running } of present) {
      plan.signal.throwIfAborted()
      plan.say(`Warming ${name}.`)
      await heat(load, running, plan.heatMs)
    }
    const measures = await goRounds({ ...plan, subjects: present, tools })
    return {
      present,
      unavailable,
      measures,
      loadProcesses: processes,
      backendProcesses: processes,
      hasInstructions: tools.canCountInstructions,
    }
  } finally {
    await undoAll(undo.reverse())
  }
}

/** Each has the whole machine: what was measured in the rounds has ended, and its core is theirs as well. */
async function runOthers({ cores, others, signal, say }: Plan): Promise<OtherResult[]> {
  if (cores.subject !== undefined) pin(process.pid, [...cores.others, cores.subject])
  const results: OtherResult[] = []
  for (const other of others) {
    say(`Running ${other.name}: ${other.promise}.`)
    results.push(await runOther(other, signal, say))
  }
  return results
}

/** Goes on where one fails, so that nothing is left running; throws what failed first. */
async function undoAll(steps: readonly (() => Promise<void> | void)[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
