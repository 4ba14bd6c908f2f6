import { registerHooks } from 'node:module'

/** A piece of a file of the product that reads otherwise. */
export interface Edit {
  readonly file: string
  /** It stands in the file exactly once. */
  readonly find: string
  readonly put: string
}

/** From now on files of the product read otherwise on their way into Node. Loading one without its piece throws. */
export function readEdited(edits: readonly Edit[]): void {
  const byUrl = Map.groupBy(edits, ({ file }) => new URL(`../../${file}`, import.meta.url).href)
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      const own = byUrl.get(url)
      if (own === undefined) return loaded
      const source = own.reduce(edited, String(Buffer.from(loaded.source as Uint8Array)))
      return { ...loaded, source }
    },
  })
}

function edited(source: string, { file, find, put }: Edit): string {
  const pieces = source.split(find)
  if (pieces.length !== 2) throw new Error(`${file} does not hold exactly one: ${find}`)
  return pieces.join(put)
}
