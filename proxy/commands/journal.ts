import { basename, resolve } from 'node:path'
import { toHex } from '#attestation'
import { type OutputOptions, print } from '#base/print.ts'
import type { JournalVerificationOutput } from '#contract/models'
import { loadProxyConfig } from '../config/proxy.ts'
import type { PartExamination } from '../journal/chain.ts'
import { type BrokenOff, brokenOffBefore, continuationDocument } from '../journal/resume.ts'
import { type Examination, examineJournal, findDamage } from '../journal/verify.ts'
import { existing, journalOf } from './configured.ts'
import { parseDigestOption } from './digest-option.ts'

/** What `proxy journal verify` takes. */
export interface JournalVerifyOptions extends OutputOptions {
  readonly config: string
  readonly file?: string
  readonly head?: string
}

const BROKEN = 1

/** `proxy journal verify`: walks the chain from the first line to the head (JRNL-02). */
export async function journalVerify(options: JournalVerifyOptions): Promise<number> {
  const head = options.head === undefined ? undefined : parseDigestOption('--head', options.head)
  const file = fileOf(options)
  const found = await examineJournal(file, { head })
  print(options, documentOf(found), inWords(found))
  return found.faults.length === 0 ? 0 : BROKEN
}

/** A journal can be looked at wherever it was copied to; its head goes along. */
function fileOf({ file, config }: JournalVerifyOptions): string {
  return file === undefined
    ? journalOf(loadProxyConfig(config, process.env), config)
    : existing(resolve(file))
}

function documentOf(found: Examination): JournalVerificationOutput {
  return {
    ok: found.faults.length === 0,
    file: found.file,
    files: found.parts.map(fileDocument),
    lines: found.lines,
    head: found.head?.hash ?? null,
    unconfirmed_lines: found.unconfirmedLines,
    torn_bytes: found.tornBytes,
    kinds: found.kinds,
    faults: [...found.faults],
  }
}

function fileDocument({
  file,
  faults,
  lines,
  head,
}: PartExamination): JournalVerificationOutput['files'][number] {
  const before = brokenOffBefore(file)
  return {
    file,
    ok: faults.length === 0,
    lines,
    head: head?.hash ?? null,
    continues: before === undefined ? null : continuationDocument(before),
  }
}

function inWords(found: Examination): string[] {
  const { file, parts, faults, lines, head, kinds, tornBytes } = found
  const counted = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`)
  const holds = `${lines} ${lines === 1 ? 'line holds' : 'lines hold'}${counted.length > 0 ? `: ${counted.join(', ')}` : ''}.`
  const torn =
    tornBytes === 0 ? [] : [`A crash left ${tornBytes} bytes of a line behind; they count for nothing.`]
  const files = parts.flatMap(partInWords)
  if (faults.length === 0) {
    const note =
      head === undefined
        ? []
        : [`Note this down elsewhere, and give it as --head next time: ${toHex(head.hash)}`]
    return [`${file} is whole.`, ...files, holds, ...torn, ...note]
  }
  return [
    `${file} is not whole.`,
    ...faults.map(({ file: at, message }) => `  ${parts.length > 1 ? `${basename(at)}: ` : ''}${message}`),
    ...files,
    `${holds} ${whatOfTheRest(found)}`,
    ...torn,
  ]
}

/** Says of a file that goes on from another why it does, and whether it is whole itself. */
function partInWords({ file, faults }: PartExamination): string[] {
  const before = brokenOffBefore(file)
  if (before === undefined) return []
  const why = breaks[before.reason](basename(before.file))
  const state = faults.length === 0 ? 'is whole, and' : 'is not whole; it'
  return [
    `  ${basename(file)} ${state} goes on from line ${before.line} since ${before.since.toISOString()}: ${why}`,
  ]
}

const breaks: Readonly<Record<BrokenOff['reason'], (file: string) => string>> = {
  foreign_write: (file) => `somebody else had written into ${file}.`,
  moved: (file) => `${file} was no longer where it had been.`,
}

/** Nothing in the chain itself is wrong: only what was noted beside it does not fit. */
function whatOfTheRest(found: Examination): string {
  if (found.faults.every(({ fault }) => fault === 'head_not_found' || fault === 'no_head'))
    return 'They fit one another, as those of a rewritten journal do.'
  return findDamage(found) === undefined
    ? 'They are the proxy’s own, and none of them was changed.'
    : 'What comes behind them cannot be relied upon.'
}
