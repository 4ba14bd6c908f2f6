import { writeFileSync } from 'node:fs'
import { complain } from '#base/print.ts'
import { messageOf } from '#base/thrown.ts'
import { discover } from '../engine/discover.ts'
import type { Need } from '../engine/needs.ts'
import { EXIT } from './exit.ts'
import { hookExamples } from './hook-examples.ts'

/** A line of the target file that is made, and what it makes possible. */
interface Line {
  readonly text: string
  readonly needs?: readonly Need[]
}

/** A value that comes from the environment. */
const variable = (name: string): string => `"\${${name}}"`

/** The file, from what everybody needs to what few have; what is not needed stands behind `#`. */
const lines: readonly Line[] = [
  { text: '# Who is judged: reports and the sentence to quote name it.' },
  { text: 'product: { name: "My router", version: "1.0" }' },
  { text: '# router, proxy, platform, console; the others need proxyUrl, platformUrl, consoleUrl.' },
  { text: 'profiles: [router]' },
  { text: 'baseUrl: http://127.0.0.1:8080/v1' },
  { text: '' },
  { text: '# Models by what they are; chat is all that is needed.' },
  { text: 'models:' },
  { text: '  chat: my/model' },
  { text: '  # completions: my/model', needs: ['model:completions'] },
  { text: '  # embeddings: my/embedder', needs: ['model:embeddings'] },
  { text: '' },
  { text: '# Secrets belong into the environment.' },
  { text: 'keys:' },
  { text: `  active: ${variable('CONFORMANCE_KEY')}`, needs: ['key'] },
  { text: `  # revoked: ${variable('REVOKED_KEY')}`, needs: ['key:revoked'] },
  { text: `  # expired: ${variable('EXPIRED_KEY')}`, needs: ['key:expired'] },
  { text: '' },
  { text: '# May requests be made that cost? In production: no.' },
  { text: '# mayGenerate: true', needs: ['generation'] },
  { text: '' },
  {
    text: '# Parts of the contract that are offered. Embeddings and invitations may be left out: the verdict says so.',
  },
  {
    text: '# features: [completions, embeddings, invitations, evidence, upstreams, rate-limits, policies]',
    needs: [
      'feature:embeddings',
      'feature:invitations',
      'feature:evidence',
      'feature:upstreams',
      'feature:rate-limits',
      'feature:policies',
    ],
  },
  { text: '# headers: { x-provider: openai }    # that a gateway in front wants' },
  { text: '# claims: [given, chosen]            # given alone is what the specification itself says' },
  {
    text: '# verifier: { command: ./my-verifier, sameProduct: true }   # the proxy’s own: the vectors count for it',
  },
  { text: '# timing: { slack: 3 }               # for a product that is far away or slow' },
  { text: '# expectedFailures: [ { scenario: models/slash, reason: "#123", until: 2027-12-31 } ]' },
  { text: '' },
  { text: '# Each hook takes a POST of JSON, or is a command that reads it: { command: [./make-key.sh] }.' },
  { text: '# It answers JSON with 2xx, or ends with 0; answers may hold more than is shown.' },
  { text: '# hooks:' },
  ...hook('createWorkspace', ['workspace']),
  {
    text: '#   # All of createKey but the workspace comes where a scenario asks for it; its answer has to show what was asked,',
  },
  {
    text: '#   # a key that is revoked or has expired from the start among it, or the scenario is not testable.',
  },
  ...hook('createKey', ['workspace']),
  ...hook('revokeKey', ['revokeKey']),
  ...hook('debits', ['debits']),
  { text: '#   # holds, sources and keys as this project books them, for the rules that it has chosen:' },
  ...hook('books', ['books']),
  ...hook('issueInvitation', ['issueInvitation']),
  { text: '#   # Starts the proxy in front of endpoints of the suite, whose evidence it has to refuse.' },
  ...hook('startProxy', ['startProxy']),
  {
    text: '#   # The address that `conformance backend` prints as its control; it serves every model of the router then.',
  },
  { text: '#   backendScript: { url: "http://127.0.0.1:9001" }', needs: ['backendScript'] },
]

/** A hook, with what it is sent and what it is to answer. */
function hook(name: keyof typeof hookExamples, needs: readonly Need[]): readonly Line[] {
  const { request, answer } = hookExamples[name]
  return [
    { text: `#   ${name}: { url: "http://127.0.0.1:9100/${name}" }`, needs },
    { text: `#   #   is sent  ${JSON.stringify(request)}` },
    { text: `#   #   answers  ${JSON.stringify(answer)}` },
  ]
}

/** The text of a target file for somebody who begins, with how many scenarios each line lets run. */
export async function targetTemplate(): Promise<string> {
  const scenarios = (await discover()).map(({ scenario }) => scenario)
  const count = (needs: readonly Need[]) =>
    scenarios.filter((scenario) => scenario.needs.some((need) => needs.includes(need))).length
  const told = lines.map(({ text, needs }) => {
    return needs === undefined
      ? text
      : `${text.padEnd(COLUMN)}  # for ${count(needs)} of ${scenarios.length} scenarios`
  })
  return `${told.join('\n')}\n`
}

/** Where the counts stand (ours). */
const COLUMN = 66

/** `conformance init`: writes a target file that says what each of its lines is for; none is written over. */
export async function init(file: string): Promise<void> {
  try {
    writeFileSync(file, await targetTemplate(), { flag: 'wx' })
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    complain(
      isThere
        ? `${file} is there already; name another file.`
        : `${file} cannot be written: ${messageOf(error)}`,
    )
    process.exitCode = EXIT.usage
    return
  }
  console.log(`Wrote ${file}. Put in the address, the model and the key, then:
  conformance doctor --target ${file}
  conformance run --target ${file} --report-dir out`)
}
