import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { add, type Count, countSkips, countTests, NONE, type Report, sayCount } from './count.ts'
import { describeNeed, isExcused, isMet, type Need, needs } from './needs.ts'
import { provide } from './provide.ts'

/** One part of the test command. A step without a vitest project counts as one test. */
interface Step {
  readonly title: string
  readonly command: readonly string[]
  readonly project?: 'unit' | 'integration'
}

/** What a step came to, and how many of its tests each missing need left out. */
interface Outcome {
  readonly count: Count
  readonly skips: ReadonlyMap<string, number>
}

const check: readonly Step[] = [
  { title: 'generated/ is what spec/ generates', command: ['node', 'spec/check.ts'] },
  {
    title: 'the index of the scenarios is up to date',
    command: ['node', 'conformance/write-index.ts', '--check'],
  },
  { title: 'the contract only grows', command: ['node', 'spec/diff.ts'] },
  { title: 'format and lint', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { title: 'types', command: ['tsc', '--noEmit'] },
  { title: 'types of the console’s page', command: ['tsc', '--noEmit', '-p', 'console'] },
  { title: 'no file, export or dependency that nobody uses', command: ['knip', '--no-progress'] },
  { title: 'unit tests', command: ['vitest', 'run', '--project', 'unit'], project: 'unit' },
]

const plans: Readonly<Record<string, readonly Step[]>> = {
  check,
  all: [
    ...check,
    { title: 'real clients, by their own lockfile', command: ['node', 'tests/clients/install.ts'] },
    {
      title: 'integration tests',
      command: ['vitest', 'run', '--project', 'integration'],
      project: 'integration',
    },
  ],
}

const USAGE = `usage: node tests/run.ts check|all
  check   generated files, format, lint, types and unit tests (before each commit)
  all     the same and the integration tests (npm test)`

await main(process.argv[2] ?? 'all')

async function main(name: string): Promise<void> {
  const steps = plans[name]
  if (steps === undefined) {
    console.error(USAGE)
    process.exit(2)
  }
  const missing = name === 'all' ? await provide(needs) : needs.filter((need) => !isMet(need))
  const [excused, required] = partition(missing)
  for (const need of required) console.log(`Missing, and CI is set: ${describeNeed(need)}`)
  const excuses = new Set(excused.map((need) => need.name))

  const folder = mkdtempSync(join(tmpdir(), 'router-tests-'))
  let total: Count = { ...NONE, failed: required.length }
  const broken = required.map((need) => need.name)
  const skips = new Map<string, number>()
  for (const [index, step] of steps.entries()) {
    console.log(`\n[${index + 1}/${steps.length}] ${step.title}`)
    const outcome = await run(step, folder, excuses)
    if (outcome.count.failed > 0) broken.push(step.title)
    total = add(total, outcome.count)
    for (const [tag, count] of outcome.skips) skips.set(tag, (skips.get(tag) ?? 0) + count)
  }
  rmSync(folder, { recursive: true })
  if (broken.length > 0) console.log(`\nFailing: ${broken.join('; ')}`)
  for (const need of excused) {
    const count = skips.get(need.name) ?? 0
    if (count > 0) console.log(`Skipped: ${count} for want of ${describeNeed(need)}`)
  }
  console.log(`\n${sayCount(total)}`)
  process.exitCode = total.failed > 0 ? 1 : 0
}

/** What tests may be left out for, and what they may not. */
function partition(missing: readonly Need[]): readonly [readonly Need[], readonly Need[]] {
  return [missing.filter((need) => isExcused(need)), missing.filter((need) => !isExcused(need))]
}

async function run(
  { command, project }: Step,
  folder: string,
  excuses: ReadonlySet<string>,
): Promise<Outcome> {
  const started = performance.now()
  const file = join(folder, `${project}.json`)
  const reporters = project ? ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`] : []
  const code = await execute([...command, ...reporters])
  console.log(
    `    ${code === 0 ? 'ok' : `FAILED (exit ${code})`}, ${Math.round(performance.now() - started)} ms`,
  )
  if (!project)
    return { count: code === 0 ? { ...NONE, passed: 1 } : { ...NONE, failed: 1 }, skips: new Map() }
  const report = readReport(file)
  const count = report ? countTests(report, excuses) : NONE
  // A run that fails without a failing test (a crash, an empty project) has failed all the same.
  const isHidden = (code !== 0 || !report) && count.failed === 0
  return {
    count: isHidden ? { ...count, failed: 1 } : count,
    skips: report ? countSkips(report, excuses) : new Map(),
  }
}

function execute([program, ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program!, args, { stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } catch {
    return undefined
  }
}
