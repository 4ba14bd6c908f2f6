import { discover } from '../engine/discover.ts'
import { coverageOf } from '../report/coverage.ts'
import { describeCoverage, describeGate } from '../report/coverage-text.ts'
import { gateOf } from '../report/gate.ts'
import { readResults } from '../report/read.ts'
import { readVectorIndex } from '../report/vectors.ts'
import { EXIT } from './exit.ts'

/** What `conformance coverage` takes. */
export interface CoverageOptions {
  readonly results?: string
  readonly json?: true
}

/** `conformance coverage`: what shows which rules, and what is shown by nothing. Fails when something must be. */
export async function coverage({ results, json }: CoverageOptions): Promise<void> {
  const found = coverageOf({
    scenarios: (await discover()).map(({ scenario }) => scenario),
    vectors: readVectorIndex(),
    results: results === undefined ? undefined : readResults(results),
  })
  const gate = gateOf(found)
  if (json) process.stdout.write(`${JSON.stringify({ ...found, gate }, null, 2)}\n`)
  else process.stdout.write(`${describeCoverage(found)}${describeGate(gate)}`)
  process.exitCode = gate.failures.length === 0 ? EXIT.conformant : EXIT.failing
}
