/** What is published under one name, in all that was scraped. */
export interface Family {
  readonly kind: 'counter' | 'gauge' | 'histogram'
  /** Each label, with the values that it was seen to have. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>
}

/** By the names that a query may use: a histogram has one for each of its parts. */
export type Families = ReadonlyMap<string, Family>

const LINE = /^(\w+)(?:\{(.*)\})? \S+$/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g
const PART = /_(?:bucket|count|sum)$/

/** Reads what programs publish in Prometheus' text form; of those that publish the same, all labels count. */
export function readFamilies(texts: readonly string[]): Families {
  const families = new Map<string, { kind: Family['kind']; labels: Map<string, Set<string>> }>()
  for (const text of texts) {
    const kinds = new Map<string, Family['kind']>()
    for (const [, name, kind] of text.matchAll(/^# TYPE (\w+) (counter|gauge|histogram)$/gm)) {
      kinds.set(name!, kind as Family['kind'])
    }
    for (const line of text.split('\n')) {
      if (line === '' || line.startsWith('#')) continue
      const [, name = '', pairs = ''] = LINE.exec(line) ?? []
      const kind = kinds.get(name) ?? kinds.get(name.replace(PART, ''))
      if (kind === undefined) throw new Error(`Nobody says of what type this is: ${line}`)
      const family = families.get(name) ?? { kind, labels: new Map() }
      families.set(name, family)
      for (const [, label, value] of pairs.matchAll(LABEL)) {
        family.labels.set(label!, (family.labels.get(label!) ?? new Set()).add(value!))
      }
    }
  }
  return families
}
