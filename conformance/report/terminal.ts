import { visible } from '#base/foreign-text.ts'
import type { ConformanceResults, OriginResult, ProfileResult } from '#contract/models'
import type { Outcome } from '../engine/outcome.ts'

/** Tells a person how a run goes. */
export interface Progress {
  outcome(outcome: Outcome, redact: (text: string) => string): void
  end(): void
}

/** Where a person reads. */
export interface Screen {
  readonly isTTY?: boolean
  write(text: string): unknown
}

const LOUD = new Set(['fail', 'error', 'warn'])

/** Elsewhere than on a terminal, a line each time another so many have ended (ours). */
const LINES = 10

/** On a terminal one line that moves; elsewhere a few lines, and what did not pass. */
export function createProgress(screen: Screen, total: number): Progress {
  let seen = 0
  const clear = screen.isTTY ? '\r\x1b[2K' : ''
  return {
    outcome({ scenario, subject, verdict, problems }, redact) {
      seen += 1
      if (LOUD.has(verdict)) {
        const lines = problems.flatMap((problem) => redact(problem).split('\n').slice(0, 6))
        screen.write(
          `${clear}${verdict.padEnd(5)} ${scenario.id} (${subject})\n${lines.map((line) => `      | ${visible(line)}\n`).join('')}`,
        )
      }
      if (screen.isTTY) screen.write(`${clear}${seen}/${total} ${scenario.id}`)
      else if (seen === total || seen % Math.ceil(total / LINES) === 0) screen.write(`${seen}/${total}\n`)
    },
    end() {
      screen.write(clear)
    },
  }
}

/** The verdicts of a run, for people. */
export function summarize({ product, profiles, duration_ms: durationMs }: ConformanceResults): string {
  const seconds = (durationMs / 1_000).toFixed(1)
  const name = [product.name, product.version].filter(Boolean).join(' ')
  return `\nJudged: ${visible(name)}, in ${seconds} s\n${profiles.map(summarizeProfile).join('')}`
}

function summarizeProfile({ profile, verdict, given, chosen }: ProfileResult): string {
  return `\n${profile}: ${verdict.toUpperCase()}\n  given   ${line(given)}\n  chosen  ${line(chosen)}\n`
}

function line({
  verdict,
  rules_kept: kept,
  rules_broken: broken,
  rules_untold: untold,
  scenarios,
}: OriginResult): string {
  const { pass, fail, warn, not_supported, not_testable, disabled, error } = scenarios
  const counts = {
    pass,
    fail,
    warn,
    'not supported': not_supported,
    'not testable': not_testable,
    disabled,
    error,
  }
  const shown = Object.entries(counts).filter(([name, count]) => count > 0 || name === 'pass')
  const rules = [
    `${kept} rules kept`,
    ...(broken.length > 0 ? [`${broken.length} broken (${broken.join(', ')})`] : []),
    ...(untold.length > 0 ? [`${untold.length} untold`] : []),
  ]
  return `${verdict}: ${rules.join(', ')}; scenarios: ${shown.map(([name, count]) => `${count} ${name}`).join(', ')}`
}
