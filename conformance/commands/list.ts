import { discover } from '../engine/discover.ts'
import { originOf } from '../engine/rules.ts'
import { describeIndex } from '../report/index.ts'
import { type Selection, select } from './select.ts'

/** What `conformance list` takes. */
export interface ListOptions extends Selection {
  readonly json?: true
}

/** `conformance list`: every scenario with the rules it counts for. */
export async function list(options: ListOptions): Promise<void> {
  const wanted = select(await discover(), options)
  if (options.json) process.stdout.write(describeIndex(wanted))
  else {
    for (const { scenario } of wanted) {
      const { id, title, rules, needs } = scenario
      console.log(`${id}\n  ${title}.\n  ${originOf(rules)}: ${rules.join(', ')}`)
      if (needs.length > 0) console.log(`  needs ${needs.join(', ')}`)
    }
    console.log(`\n${wanted.length} scenarios`)
  }
}
