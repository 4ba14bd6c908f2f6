import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>
}

// `node run-workflow.ts FILE`: runs the commands of a CI's job as the CI does, in this folder; one that fails fails it.
const { jobs } = parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Workflow
for (const { run } of Object.values(jobs).flatMap(({ steps }) => steps)) {
  if (run !== undefined) execFileSync('bash', ['-eo', 'pipefail', '-c', run], { stdio: 'inherit' })
}
