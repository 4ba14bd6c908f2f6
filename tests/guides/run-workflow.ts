import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

interface Job {
  readonly env?: Readonly<Record<string, string>>
  readonly steps: readonly { readonly run?: string }[]
}

const SECRET = /\$\{\{ secrets\.(\w+) \}\}/g

// `node run-workflow.ts FILE`: runs the commands of a CI's job as the CI does, in this folder; one that fails fails it.
// A secret is there where the job asks for it alone: in this environment stands what the repository keeps.
const text = readFileSync(process.argv[2] ?? '', 'utf8')
const { jobs } = parse(text) as { readonly jobs: Readonly<Record<string, Job>> }
const secrets = new Set([...text.matchAll(SECRET)].map(([, name = '']) => name))
const kept = Object.entries(process.env).filter(([name]) => !secrets.has(name) && name !== 'CONFORMANCE_KEY')
for (const { env = {}, steps } of Object.values(jobs)) {
  const given = Object.entries(env).map(([name, value]) => [
    name,
    value.replace(SECRET, (_, secret: string) => process.env[secret] ?? ''),
  ])
  const environment = { ...Object.fromEntries([...kept, ...given]), GITHUB_STEP_SUMMARY: '/dev/null' }
  for (const { run } of steps) {
    if (run === undefined) continue
    execFileSync('bash', ['-eo', 'pipefail', '-c', run], { stdio: 'inherit', env: environment })
  }
}
