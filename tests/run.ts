import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'

/** One part of the test command. A step without a vitest project counts as one test. */
interface Step {
  readonly title: string
  readonly command: readonly string[]
  readonly project?: 'unit' | 'integration'
}

interface Count {
  readonly passed: number
  readonly failed: number
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
  const folder = mkdtempSync(join(tmpdir(), 'router-tests-'))
  let total: Count = { passed: 0, failed: 0 }
  const broken: string[] = []
  for (const [index, step] of steps.entries()) {
    console.log(`\n[${index + 1}/${steps.length}] ${step.title}`)
    const count = await run(step, folder)
    if (count.failed > 0) broken.push(step.title)
    total = { passed: total.passed + count.passed, failed: total.failed + count.failed }
  }
  rmSync(folder, { recursive: true })
  if (broken.length > 0) console.log(`\nFailing: ${broken.join('; ')}`)
  console.log(`\n${total.passed} passed, ${total.failed} failed`)
  process.exitCode = total.failed > 0 ? 1 : 0
}

async function run({ command, project }: Step, folder: string): Promise<Count> {
  const started = performance.now()
  const report = join(folder, `${project}.json`)
  const reporters = project ? ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`] : []
  const code = await execute([...command, ...reporters])
  console.log(
    `    ${code === 0 ? 'ok' : `FAILED (exit ${code})`}, ${Math.round(performance.now() - started)} ms`,
  )
  const count = project ? readCount(report) : { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 }
  // A run that fails without a failing test (a crash, an empty project) has failed all the same.
  return code !== 0 && count.failed === 0 ? { ...count, failed: 1 } : count
}

function execute([program, ...args]: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program!, args, { stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

function readCount(report: string): Count {
  try {
    const result = JSON.parse(readFileSync(report, 'utf8')) as {
      numPassedTests: number
      numFailedTests: number
      numPendingTests: number
    }
    // A skip is never a pass.
    return { passed: result.numPassedTests, failed: result.numFailedTests + result.numPendingTests }
  } catch {
    return { passed: 0, failed: 1 }
  }
}
