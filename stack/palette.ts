/** Puts colours around a text, or leaves it as it is. */
export interface Palette {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
  readonly accent: (text: string) => string
}

/** What decides about colours. */
export interface Terminal {
  readonly isTTY?: boolean | undefined
}

/** Colours for a terminal; none for a file or a pipe, nor where NO_COLOR asks for none. */
export function createPalette({ isTTY }: Terminal, env: Readonly<NodeJS.ProcessEnv>): Palette {
  const wanted = isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
  const paint = (open: number, close: number) => (text: string) =>
    wanted && text !== '' ? `\u001B[${open}m${text}\u001B[${close}m` : text
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    good: paint(32, 39),
    bad: paint(31, 39),
    accent: paint(36, 39),
  }
}
