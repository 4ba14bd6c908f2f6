import type { ConformanceResults } from '#contract/models'
import { toBadge } from '../report/badge.ts'
import { toHtml } from '../report/html/page.ts'
import { toJUnit } from '../report/junit.ts'
import { toMarkdown } from '../report/markdown.ts'
import { readResults } from '../report/read.ts'
import { sentencesOf } from '../report/sentence.ts'
import { summarize } from '../report/terminal.ts'

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
  process.stdout.write(forms[form as keyof typeof forms](readResults(file)))
}

function sentencesIn(results: ConformanceResults): string {
  return `${sentencesOf(results).join('\n')}\n`
}
