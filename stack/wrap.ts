import { visible } from '#base/foreign-text.ts'
import { widthOf } from './boxes.ts'

/** Writes a text that arrives in pieces, broken into lines between words. */
export interface Wrapper {
  write(piece: string): void
  end(): void
}

/** Wraps at so many columns, each line indented; the text may be a model's, and is shown as foreign text is. */
export function createWrapper(write: (text: string) => void, width: number, indent: string): Wrapper {
  const room = width - widthOf(indent)
  let column = 0

  function writeWord(word: string): void {
    const text = column === 0 ? word.trimStart() : word
    const breaks = column > 0 && /^\s/.test(text) && column + text.length > room
    if (breaks) writeLineEnd()
    const shown = breaks ? text.trimStart() : text
    if (shown === '') return
    write(column === 0 ? indent + shown : shown)
    column += shown.length
  }

  function writeLineEnd(): void {
    write('\n')
    column = 0
  }

  return {
    write(piece) {
      for (const part of piece.match(/\n|[^\S\n]*[^\s]*/g) ?? []) {
        if (part === '\n') writeLineEnd()
        else if (part !== '') writeWord(visible(part))
      }
    },
    end() {
      if (column > 0) writeLineEnd()
    },
  }
}
