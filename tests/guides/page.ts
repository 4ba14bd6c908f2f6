/** A fenced block of a page. */
export interface Block {
  /** `sh`, `text`, `yaml`, `ts`; empty for a picture. */
  readonly language: string
  readonly text: string
  /** Where it begins in the page. */
  readonly line: number
  /** The comment right above it, which readers of the rendered page do not see. */
  readonly remark: string | undefined
}

/** What a test does with a block. */
export type Step =
  | { readonly kind: 'run' | 'goes on'; readonly block: Block; readonly printed: string | undefined }
  | { readonly kind: 'saved'; readonly block: Block; readonly file: string; readonly isMore: boolean }
  | { readonly kind: 'quoted'; readonly block: Block; readonly file: string }
  | { readonly kind: 'not run'; readonly block: Block; readonly reason: string }

const FENCE = /(?:<!-- ([^\n]*?) -->\n+)?^```([a-z]*)\n(.*?)^```$/gms

/** Every fenced block of a page, in their order. */
export function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(FENCE)].map(({ 0: whole, 1: remark, 2: language = '', 3: text = '', index }) => ({
    language,
    text,
    remark,
    line: page.slice(0, index + whole.indexOf('```')).split('\n').length,
  }))
}

/** `# proxy.yaml` or `// chat.ts` in the first line, perhaps with words behind it; `(more)` goes to the end of that file. */
const FILE = /^(?:#|\/\/) ([\w-]+(?:\.[\w-]+)+)( \(more\))?/
const NOT_RUN = /^not run: (\S.*)$/
const QUOTED = /^as in: (\S+)$/

/**
 * The steps of a page: commands to run, files to save, quotations. Throws for a block that is none of these and does
 * not say why it is not run.
 */
export function stepsOf(page: string): readonly Step[] {
  const blocks = blocksOf(page)
  return blocks.flatMap((block, index): Step[] => {
    const { language, remark, text } = block
    if (language === '' || language === 'text') return []
    const reason = NOT_RUN.exec(remark ?? '')?.[1]
    if (reason !== undefined) return [{ kind: 'not run', block, reason }]
    const quoted = QUOTED.exec(remark ?? '')?.[1]
    if (quoted !== undefined) return [{ kind: 'quoted', block, file: quoted }]
    const next = blocks[index + 1]
    const printed = next?.language === 'text' ? next.text : undefined
    if (language === 'sh' && (remark === undefined || remark === 'goes on')) {
      return [{ kind: remark === undefined ? 'run' : 'goes on', block, printed }]
    }
    const [, file, more] = FILE.exec(text) ?? []
    if (file !== undefined && remark === undefined) {
      return [{ kind: 'saved', block, file, isMore: more !== undefined }]
    }
    throw new Error(`line ${block.line}: nothing says what a test does with this block of ${language}`)
  })
}

/** Whether a text is what a page shows of it: `…` stands for a part of a line, and alone for any lines. */
export function isAsShown(text: string, shown: string): boolean {
  const lines = shown.split('\n').slice(0, -1)
  const forms = lines.map((line) =>
    line.trim() === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(escaped).join('.*?')}\\n`,
  )
  return new RegExp(`^${forms.join('')}$`).test(text)
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
