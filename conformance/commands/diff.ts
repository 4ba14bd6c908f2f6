import { shorten, visible, visibleJson } from '#base/foreign-text.ts'
import { type Change, changesOf, differencesOf, isNewlySeen, isWorse } from '../report/changes.ts'
import { readResults } from '../report/read.ts'
import { EXIT } from './exit.ts'

/** What `conformance diff` takes. */
export interface DiffOptions {
  readonly json?: true
}

/** The changes between two runs, by what they mean. */
interface Comparison {
  readonly worse: readonly Change[]
  readonly seen: readonly Change[]
  readonly others: readonly Change[]
  /** What differs between the two beside the product. */
  readonly differences: readonly string[]
}

/**
 * `conformance diff`: the rules whose state has changed between two runs. Fails when one is a step back. A rule that is
 * broken now and was untold is one, too, unless more was asked than before.
 */
export function diff(before: string, after: string, { json }: DiffOptions): void {
  const runs = [readResults(before), readResults(after)] as const
  const changes = changesOf(...runs)
  const differences = differencesOf(...runs)
  const worse = changes.filter(isWorse)
  const seen = changes.filter((change) => !isWorse(change) && isNewlySeen(change))
  const others = changes.filter((change) => !isWorse(change) && !isNewlySeen(change))
  const counts = { worse: worse.length, newly_seen: seen.length }
  if (json)
    process.stdout.write(`${visibleJson(JSON.stringify({ differences, changes, ...counts }, null, 2))}\n`)
  else process.stdout.write(describe({ worse, seen, others, differences }))
  const isBack = worse.length > 0 || (seen.length > 0 && differences.length === 0)
  process.exitCode = isBack ? EXIT.failing : EXIT.conformant
}

function describe({ worse, seen, others, differences }: Comparison): string {
  const part = (title: string, changes: readonly Change[]) =>
    changes.length === 0 ? '' : `${title}\n${changes.map(line).join('')}\n`
  const asked =
    differences.length === 0
      ? ''
      : `The two runs did not ask the same:\n${differences.map((one) => `  ${visible(one)}\n`).join('')}\n`
  if (worse.length + seen.length + others.length === 0) return `${asked}Every rule is as before.\n`
  const why = asked ? 'which fails nothing: more or other things were asked' : 'which fails, too'
  return [
    asked,
    part('Worse', worse),
    part(`Newly seen to be broken, untold before, ${why}`, seen),
    part('Not worse', others),
    `${worse.length} worse, ${seen.length} newly seen, ${others.length} not worse\n`,
  ].join('')
}

function line({ profile, id, before, after, section, text, problem }: Change): string {
  const told = problem === null ? '' : `    ${shorten(problem.split('\n')[0] ?? '')}\n`
  return `  ${id.padEnd(8)} ${profile}: ${before ?? 'not judged'} → ${after ?? 'not judged'}  ${shorten(section)} ${shorten(text)}\n${told}`
}
