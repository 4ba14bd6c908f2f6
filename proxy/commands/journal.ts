import { resolve } from 'node:path'
import { toHex } from '#attestation'
import type { JournalVerificationOutput } from '#contract'
import { loadProxyConfig } from '../config/proxy.ts'
import { type Examination, examineJournal } from '../journal/verify.ts'
import { existing, journalOf } from './configured.ts'
import { parseDigestOption } from './digest-option.ts'
import { type CommonOptions, print } from './output.ts'

/** What `proxy journal verify` takes. */
export interface JournalVerifyOptions extends CommonOptions {
  readonly config: string
  readonly file?: string
  readonly head?: string
}

const BROKEN = 1

/** `proxy journal verify`: walks the chain from the first line to the head (decisions, 9). */
export async function journalVerify(options: JournalVerifyOptions): Promise<number> {
  const head = options.head === undefined ? undefined : parseDigestOption('--head', options.head)
  const file = fileOf(options)
  const found = await examineJournal(file, { head })
  print(options, documentOf(file, found), inWords(file, found))
  return found.faults.length === 0 ? 0 : BROKEN
}

/** A journal can be looked at wherever it was copied to; its head goes along. */
function fileOf({ file, config }: JournalVerifyOptions): string {
  return file === undefined
    ? journalOf(loadProxyConfig(config, process.env), config)
    : existing(resolve(file))
}

function documentOf(file: string, found: Examination): JournalVerificationOutput {
  return {
    ok: found.faults.length === 0,
    file,
    lines: found.lines,
    head: found.head?.hash ?? null,
    unconfirmed_lines: found.unconfirmedLines,
    torn_bytes: found.tornBytes,
    kinds: found.kinds,
    faults: [...found.faults],
  }
}

function inWords(file: string, found: Examination): string[] {
  const { faults, lines, head, kinds, tornBytes } = found
  const counted = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`)
  const holds = `${lines} ${lines === 1 ? 'line holds' : 'lines hold'}${counted.length > 0 ? `: ${counted.join(', ')}` : ''}.`
  const torn =
    tornBytes === 0 ? [] : [`A crash left ${tornBytes} bytes of a line behind; they count for nothing.`]
  if (faults.length === 0) {
    const note =
      head === undefined
        ? []
        : [`Note this down elsewhere, and give it as --head next time: ${toHex(head.hash)}`]
    return [`${file} is whole.`, holds, ...torn, ...note]
  }
  return [
    `${file} is not whole.`,
    ...faults.map(({ message }) => `  ${message}`),
    `${holds} ${isRewritable(found) ? 'They fit one another, as those of a rewritten journal do.' : 'What comes behind them cannot be relied upon.'}`,
    ...torn,
  ]
}

/** Nothing in the chain itself is wrong: only what was noted beside it does not fit. */
function isRewritable({ faults }: Examination): boolean {
  return faults.every(({ fault }) => fault === 'head_not_found' || fault === 'no_head')
}
