import { visible } from '#base/foreign-text.ts'
import type { ConformanceResults } from '#contract/models'
import { worst } from '../engine/verdict.ts'
import { countOf, withoutOf } from './sentence.ts'

/** Pixels (ours): of a letter of the font in its size, around each text, and of the whole. */
const LETTER = 6.5
const PADDING = 6
const HEIGHT = 20

const COLOURS = { conformant: '#2b7a3d', partial: '#8a6100', failing: '#a3262e' } as const

/**
 * A badge for a page about a product, as SVG: the verdict, and how many given rules each of its roles keeps. What is left
 * out is shown where it limits a good verdict, and always told to who reads the picture by its words.
 */
export function toBadge({ profiles }: Pick<ConformanceResults, 'profiles'>): string {
  const verdict = worst(profiles.map((one) => one.verdict))
  const label = 'conformance'
  const tell = (isShort: boolean) => {
    const roles = profiles.map((one) => {
      const role = isShort && profiles.length === 1 ? '' : `${one.profile} `
      return `${role}${countOf(one)}${isShort && verdict !== 'conformant' ? '' : withoutOf(one)}`
    })
    return `${verdict}: ${roles.join(', ')}`
  }
  const text = tell(true)
  const [left, right] = [widthOf(label), widthOf(text)]
  const at = (x: number, words: string) => `<text x="${x}" y="14">${visible(words)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="${HEIGHT}" role="img" aria-label="${label}: ${tell(false)}">`,
    `<rect width="${left}" height="${HEIGHT}" fill="#444"/>`,
    `<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${COLOURS[verdict]}"/>`,
    `<g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11">`,
    `${at(PADDING, label)}${at(left + PADDING, text)}`,
    '</g></svg>\n',
  ].join('')
}

function widthOf(text: string): number {
  return Math.ceil(text.length * LETTER) + 2 * PADDING
}
