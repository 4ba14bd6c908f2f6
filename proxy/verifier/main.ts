import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { VerifierAnswer, VerifierCapabilities } from '#contract/models'
import manifest from '../../package.json' with { type: 'json' }
import { answer } from './answer.ts'

/** Exit codes of the verifier's surface; no failure of its own can be mistaken for a verdict. */
const EXIT: Readonly<Record<VerifierAnswer['outcome'], number>> = {
  accept: 0,
  reject: 10,
  unsupported: 20,
  malformed: 30,
  internal: 1,
}

const USAGE = `usage: verifier capabilities | verify [--batch]
  capabilities     say what this verifier can do, as JSON
  verify           judge the request on standard input; exit 0 accept, 10 reject, 30 malformed request
  verify --batch   judge one request on each line, and answer each on a line

It is the proxy's own judgement without the network, for conformance run --profile verifier.
`

const capabilities: VerifierCapabilities = {
  version: 1,
  name: manifest.name,
  release: manifest.version,
  capabilities: ['batch', 'status', 'policies', 'producer-asserted', 'nameless-leaves', 'attested-roots'],
}

process.exitCode = await run(process.argv.slice(2))

async function run([command, option, ...others]: readonly string[]): Promise<number> {
  const isPlain = option === undefined && others.length === 0
  if (command === 'capabilities' && isPlain) return print(capabilities, 0)
  if (command === 'verify' && isPlain) return judgeOne()
  if (command === 'verify' && option === '--batch' && others.length === 0) return judgeAll()
  if (command === '--version') return say(`${manifest.version}\n`)
  const isAsked = command === '--help'
  process[isAsked ? 'stdout' : 'stderr'].write(USAGE)
  return isAsked ? 0 : EXIT.malformed
}

async function judgeOne(): Promise<number> {
  const given = await answer(await text(process.stdin))
  return print(given, EXIT[given.outcome])
}

async function judgeAll(): Promise<number> {
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY }))
    if (line !== '') print(await answer(line), 0)
  return 0
}

function say(text: string): number {
  process.stdout.write(text)
  return 0
}

function print(document: VerifierAnswer | VerifierCapabilities, code: number): number {
  process.stdout.write(`${JSON.stringify(document)}\n`)
  return code
}
