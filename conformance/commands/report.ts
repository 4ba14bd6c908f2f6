import { complain } from '#base/print.ts'
import type { ConformanceResults } from '#contract/models'
import { toBadge } from '../report/badge.ts'
import { toHtml } from '../report/html/page.ts'
import { toJUnit } from '../report/junit.ts'
import { toMarkdown } from '../report/markdown.ts'
import { readResults } from '../report/read.ts'
import { filterOf } from '../report/selected.ts'
import { sentencesOf } from '../report/sentence.ts'
import { summarize } from '../report/terminal.ts'
import { EXIT } from './exit.ts'

const forms = {
  text: (results: ConformanceResults) => `${summarize(results)}\n${sentencesIn(results)}`,
  sentence: sentencesIn,
  markdown: toMarkdown,
  html: toHtml,
  junit: toJUnit,
  badge: toBadge,
} as const

/** What `conformance report` takes. */
export interface ReportOptions {
  readonly form: string
}

/** `conformance report`: writes what a run has found in another form. */
export function report(file: string, { form }: ReportOptions): void {
  const results = readResults(file)
  const filter = filterOf(results)
  if (form === 'badge' && filter !== undefined) {
    complain(`${file} holds what ${filter} selects alone: there is no badge for a part.`)
    process.exitCode = EXIT.usage
    return
  }
  if (form === 'badge' && results.faults.length > 0) {
    complain(`${file} holds no whole run: ${results.faults[0]}. There is no badge for it.`)
    process.exitCode = EXIT.usage
    return
  }
  process.stdout.write(forms[form as keyof typeof forms](results))
}

function sentencesIn(results: ConformanceResults): string {
  return `${sentencesOf(results).join('\n')}\n`
}
