import { shorten, visibleJson } from '#base/foreign-text.ts'
import { type Change, changesOf, isWorse } from '../report/changes.ts'
import { readResults } from '../report/read.ts'
import { EXIT } from './exit.ts'

/** What `conformance diff` takes. */
export interface DiffOptions {
  readonly json?: true
}

/** `conformance diff`: the rules whose state has changed between two runs. Fails when one is a step back. */
export function diff(before: string, after: string, { json }: DiffOptions): void {
  const changes = changesOf(readResults(before), readResults(after))
  const worse = changes.filter(isWorse)
  if (json)
    process.stdout.write(`${visibleJson(JSON.stringify({ changes, worse: worse.length }, null, 2))}\n`)
  else
    process.stdout.write(
      describe(
        worse,
        changes.filter((change) => !isWorse(change)),
      ),
    )
  process.exitCode = worse.length === 0 ? EXIT.conformant : EXIT.failing
}

function describe(worse: readonly Change[], others: readonly Change[]): string {
  if (worse.length + others.length === 0) return 'Every rule is as before.\n'
  const part = (title: string, changes: readonly Change[]) =>
    changes.length === 0 ? '' : `${title}\n${changes.map(line).join('')}\n`
  return `${part('Worse', worse)}${part('Not worse', others)}${worse.length} worse, ${others.length} not worse\n`
}

function line({ profile, id, before, after, section, text, problem }: Change): string {
  const told = problem === null ? '' : `    ${shorten(problem.split('\n')[0] ?? '')}\n`
  return `  ${id.padEnd(8)} ${profile}: ${before ?? 'not judged'} → ${after ?? 'not judged'}  ${shorten(section)} ${shorten(text)}\n${told}`
}
