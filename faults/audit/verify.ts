import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { LedgerVerificationOutput } from '#contract/models'
import type { World } from '../world/world.ts'
import { type Violation, violationsOf } from './violation.ts'

const ROUTER = join(import.meta.dirname, '..', '..', 'bin', 'router')

/** A wrong ledger has a line for each row behind the first mistake. */
const MOST_OUTPUT_BYTES = 67_108_864

/** Asks the product's own `router ledger verify`. Throws, with what it said, when it does not answer. */
export async function verifyByProduct({ database, routers }: World): Promise<Violation[]> {
  const args = ['ledger', 'verify', '--config', routers[0]!.config, '--json']
  const env = { ...process.env, DATABASE_URL: database.url }
  const output = await new Promise<string>((resolve, reject) => {
    execFile(ROUTER, args, { env, maxBuffer: MOST_OUTPUT_BYTES }, (_, stdout, stderr) =>
      stdout === '' ? reject(new Error(`router ledger verify: ${stderr}`)) : resolve(stdout),
    )
  })
  const { differences } = JSON.parse(output) as LedgerVerificationOutput
  const details = differences.map(
    ({ check, subject, expected, actual }) => `${check} of ${subject} is ${actual}, not ${expected}`,
  )
  return violationsOf('ledger-verify', details)
}
