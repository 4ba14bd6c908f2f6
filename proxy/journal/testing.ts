import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Digest, digestOf } from '#attestation'
import { silent } from '../log.ts'
import type { Entry, LineOf } from './line.ts'
import { JournalWriter } from './writer.ts'

/** A file in a folder that goes with the test. */
export function journalFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'journal.jsonl')
}

/** The name of a generation, by its number. */
export function generationId(number: number): string {
  return `gen-${String(number).padStart(26, '0')}`
}

/** What tests say of a generation. */
export function generation(
  number: number,
  change: Partial<Omit<LineOf<'generation'>, 'seq' | 'prev' | 'time' | 'kind'>> = {},
): Entry & { readonly kind: 'generation' } {
  return {
    kind: 'generation',
    endpoint: 'main',
    id: generationId(number),
    complete: true,
    model: 'demo/tiny-chat',
    prompt_tokens: 12,
    completion_tokens: 34,
    cost_micros: 23,
    served_by: 'demo',
    served_digest: digestOf('snapshot'),
    verdict: {
      judged_at: '2030-01-01T00:00:00.000Z',
      evidence_digest: digestOf('snapshot'),
      cert_fingerprint: digestOf('leaf'),
      bundle_digest: null,
      expectation_digest: null,
    },
    ...change,
  }
}

/** Writes a journal of some entries and closes it. */
export async function writeJournal(file: string, entries: readonly Entry[]): Promise<void> {
  const writer = await JournalWriter.open({ file, log: silent })
  for (const entry of entries) writer.append(entry)
  await writer.close()
}

/** The lines of a journal, without their ends. */
export function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n').slice(0, -1)
}

/** Writes lines as they are. */
export function setLines(file: string, lines: readonly string[]): void {
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
}

/** The digest of a file's last line. */
export function lastHash(file: string): Digest {
  return digestOf(linesOf(file).at(-1)!)
}
