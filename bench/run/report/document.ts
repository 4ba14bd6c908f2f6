import { verdicts } from '../promise/check.ts'
import type { Results } from '../results.ts'
import { sections } from './layout.ts'
import { NOTHING, showSpread } from './number.ts'
import { table, tableOf } from './sections.ts'

/** More programs than this at work before a run, and its figures are of a machine that was not quiet. */
const QUIET_LOAD = 0.5

/** The report of a run in Markdown: where and how it ran, each table, and the promise. */
export function reportOf(results: Results): string[] {
  return [
    ...conditions(results),
    ...sections.flatMap((section) => {
      const lines = tableOf(section, results)
      return lines.length === 0 ? [] : [`### ${section.title}`, '', section.words, '', ...lines, '']
    }),
    ...missing(results),
    ...others(results),
    ...promise(results),
  ]
}

/** Machine, versions and method, one paragraph each. */
function conditions({ commit, machine, method, startedAt, seconds, unavailable }: Results): string[] {
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`)
  const quiet =
    machine.loadBefore <= QUIET_LOAD
      ? 'quiet before the run'
      : `**not quiet**: the load was ${machine.loadBefore.toFixed(1)} before the run, so that ratios tell more than rates`
  const core =
    method.subjectCore === null
      ? 'Nothing was pinned.'
      : `What is measured had core ${method.subjectCore} to itself, its database too; load and model the others.`
  const perf = method.hasInstructions
    ? 'Instructions are of `perf stat`.'
    : '`perf` counts no instructions there.'
  return [
    `${startedAt.slice(0, 10)}, ${commit ?? 'of no commit'}, ${machine.cores} cores (${machine.cpu}), ${machine.memoryGib} GiB, ${machine.system}; ${versions.join(', ')}. The machine was ${quiet}.`,
    '',
    `${method.rounds} rounds of ${method.turnMs / 1_000} s a turn after ${method.warmMs / 1_000} s of warming, ${seconds} s in all; everybody was loaded for up to ${method.heatMs / 1_000} s before the first. In each round every subject has its turn at every measure. ${core} ${processes(method.loadProcesses)} of load, ${processes(method.backendProcesses).toLowerCase()} of the model. Processor time is the kernel's (\`schedstat\`). ${perf} Figures are medians ± half of how far the rounds lie apart; ratios are taken within rounds. PostgreSQL ran with ${method.durable.join(', ')}, asserted by the run.`,
    '',
    ...Object.entries(unavailable).map(([name, reason]) => `Without ${name}: ${reason}\n`),
  ]
}

function missing({ measures }: Results): string[] {
  const lines = measures.flatMap(({ title, missing }) =>
    Object.entries(missing).map(([subject, reason]) => `- ${subject}, ${title}: ${reason}`),
  )
  return lines.length === 0 ? [] : ['### What could not be measured', '', ...lines, '']
}

function others({ others: found }: Results): string[] {
  if (found.length === 0) return []
  const rows = found.map(({ name, promise: words, isKept }) => [name, words, isKept ? 'kept' : 'BROKEN'])
  return ['### The other benchmarks', '', ...table(['', 'promise', ''], rows), '']
}

function promise(results: Results): string[] {
  const rows = verdicts(results).map(({ row, values, outcome }) => [
    row.name,
    values === undefined ? NOTHING : `${showSpread(values)}${row.unit}`,
    `${row.isAtMost ? '≤' : '≥'} ${row.gate}${row.unit}`,
    `${row.isAtMost ? '≤' : '≥'} ${typeof row.stretch === 'number' ? `${row.stretch}${row.unit}` : row.stretch.name}`,
    outcome,
  ])
  return ['### The promise', '', ...table(['measure', 'found', 'promise', 'aim', ''], rows), '']
}

function processes(count: number): string {
  return count === 1 ? 'One process' : `${count} processes`
}
