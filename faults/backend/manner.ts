/** How the backend serves a request; the prompt names it, `[manner:cut]`. */
export const manners = [
  'plain',
  'long',
  'rapid',
  'cut',
  'stall',
  'silent',
  'garbage',
  'busy',
  'no-usage',
  'boasting',
] as const

export type Manner = (typeof manners)[number]

/** What a prompt asks of the backend, and the number that tells it from all others. */
export interface Marked {
  readonly nonce: string
  readonly manner: Manner
}

/** The part of a prompt that the backend reads. */
export function mark({ nonce, manner }: Marked): string {
  return `[nonce:${nonce}] [manner:${manner}]`
}

/** Reads it back; undefined where it does not stand. */
export function readMark(text: string): Marked | undefined {
  const [, nonce, manner] = /\[nonce:([\w.-]+)\] \[manner:([\w-]+)\]/.exec(text) ?? []
  const known = manners.find((each) => each === manner)
  return nonce === undefined || known === undefined ? undefined : { nonce, manner: known }
}
