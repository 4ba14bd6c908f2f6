import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { shorten, visibleJson } from '#base/foreign-text.ts'
import { complain } from '#base/print.ts'
import { messageOf } from '#base/thrown.ts'
import type { VectorResult, VerifierResults } from '#contract/models'
import { loadTarget } from '../engine/target.ts'
import { runVectors } from '../vectors/run.ts'
import { EXIT } from './exit.ts'

/** What `conformance run --profile verifier` takes. */
export interface VerifierOptions {
  /** How it is called; as a target file has it, when left out. */
  readonly verifier?: string
  readonly target?: string
  readonly grep?: readonly string[]
  readonly reportDir?: string
  readonly json?: true
}

/** `conformance run --profile verifier`: puts the vectors to a verifier, tells a person, writes the report. */
export async function runVerifier(options: VerifierOptions): Promise<VerifierResults | undefined> {
  const { grep, reportDir, json } = options
  const command = options.verifier ?? claimedIn(options.target)
  if (command === undefined) {
    return stop(
      EXIT.usage,
      'The profile verifier needs --verifier "COMMAND", or a target file that has `verifier`.',
    )
  }
  const progress = createProgress(process.stderr)
  const results = await runVectors({ command, grep, onResult: progress.result }).catch((thrown: unknown) =>
    stop(EXIT.error, messageOf(thrown)),
  )
  progress.end()
  if (results === undefined) return undefined
  if (results.vectors.length === 0) return stop(EXIT.usage, 'No vector is selected.')
  if (reportDir !== undefined) {
    mkdirSync(reportDir, { recursive: true })
    writeFileSync(join(reportDir, 'verifier.json'), `${JSON.stringify(results, null, 2)}\n`)
  }
  process.stdout.write(json ? `${visibleJson(JSON.stringify(results, null, 2))}\n` : summarize(results))
  process.exitCode = exitCodeOf(results)
  return results
}

function claimedIn(file: string | undefined): string | undefined {
  return file === undefined ? undefined : loadTarget(file, process.env).verifier?.command
}

/** The exit code of a run: 2 when the verifier broke at any vector. */
function exitCodeOf({ counts, verdict }: VerifierResults): number {
  return counts.error > 0 ? EXIT.error : EXIT[verdict]
}

/** The verdict of a run, for people. */
function summarize({ verifier, suite, verdict, counts, duration_ms: ms, vectors }: VerifierResults): string {
  const shown = Object.entries(counts).filter(([name, count]) => count > 0 || name === 'pass')
  const told = shown.map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`).join(', ')
  const part = vectors.length < suite.vectors ? ` of ${suite.vectors}` : ''
  return [
    `Judged: ${shorten(verifier.name)} ${shorten(verifier.release)}, in ${(ms / 1_000).toFixed(1)} s`,
    `verifier: ${verdict.toUpperCase()}; ${vectors.length}${part} vectors: ${told}`,
    '',
  ].join('\n')
}

interface Progress {
  result(result: VectorResult, total: number): void
  end(): void
}

/** Counts along on a terminal; elsewhere only what is wrong is told. */
function createProgress(screen: NodeJS.WriteStream): Progress {
  const clear = screen.isTTY ? '\r\x1b[2K' : ''
  let seen = 0
  return {
    result({ id, title, verdict, expected, actual }, total) {
      seen += 1
      if (verdict !== 'pass' && verdict !== 'not-supported')
        screen.write(
          `${clear}${verdict}  ${id}\n      ${title}.\n      expected ${shorten(expected)}; got ${shorten(actual)}\n`,
        )
      if (screen.isTTY) screen.write(`${clear}${seen}/${total} ${id}`)
    },
    end() {
      screen.write(clear)
    },
  }
}

function stop(code: number, message: string): undefined {
  complain(message)
  process.exitCode = code
}
