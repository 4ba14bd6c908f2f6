import { parser } from '@prometheus-io/lezer-promql'
import type { Families, Family } from './families.ts'

/** What a query is found to be. */
export interface Judgement {
  /** What is wrong with it; empty when all is well. */
  readonly mistakes: readonly string[]
  /** What its result's series are told apart by. */
  readonly labels: ReadonlySet<string>
  /** The metrics that it reads. */
  readonly metrics: ReadonlySet<string>
}

type Node = ReturnType<typeof parser.parse>['topNode']

/** What a part of a query gives. */
interface Value {
  readonly form: 'scalar' | 'vector' | 'range'
  /** Of what it read, as long as nothing has been worked out of it. */
  readonly kind?: Family['kind'] | 'bucket'
  readonly labels: ReadonlySet<string>
}

/** Prometheus' own: which program was scraped. */
const TARGET = ['job', 'instance']
const SCALAR: Value = { form: 'scalar', labels: new Set() }

/** By what they take: a counter over a time, a gauge over a time, or anything as it is now. */
const OF_COUNTERS = new Set(['rate', 'increase', 'irate'])
const OF_GAUGES = new Set(['min_over_time', 'max_over_time', 'avg_over_time', 'deriv', 'delta'])
const OF_ANYTHING = new Set(['clamp_min', 'clamp_max'])
const SET_OPERATORS = new Set(['And', 'Or', 'Unless'])

/**
 * Holds a query against what is published: every metric is there, under its type, with each label and each value that
 * the query asks for; counters are read as rates alone; the two sides of an operator have the labels to meet by.
 */
export function judgeQuery(query: string, families: Families): Judgement {
  const mistakes: string[] = []
  const metrics = new Set<string>()
  const text = (node: Node) => query.slice(node.from, node.to)
  const wrong = (words: string) => void mistakes.push(words)
  const tree = parser.parse(query)
  tree.iterate({
    enter(node) {
      if (node.type.isError)
        wrong(`is no PromQL at ${node.from}: ${query.slice(node.from - 10, node.to + 10)}`)
    },
  })
  if (mistakes.length > 0) return { mistakes, metrics, labels: new Set() }

  function evaluate(node: Node): Value {
    switch (node.name) {
      case 'PromQL':
      case 'ParenExpr':
      case 'OffsetExpr':
        return evaluate(node.firstChild!)
      case 'NumberDurationLiteral':
        return SCALAR
      case 'VectorSelector':
        return select(node)
      case 'MatrixSelector':
        return { ...evaluate(node.firstChild!), form: 'range' }
      case 'AggregateExpr':
        return aggregate(node)
      case 'FunctionCall':
        return call(node)
      case 'BinaryExpr':
        return combine(node)
      default:
        wrong(`has a part that nobody here knows: ${node.name}`)
        return SCALAR
    }
  }

  function select(node: Node): Value {
    const name = text(node.getChild('Identifier')!)
    const family = families.get(name)
    metrics.add(name)
    if (family === undefined) {
      wrong(`${name} is published by nobody`)
      return { form: 'vector', labels: new Set(TARGET) }
    }
    for (const matcher of node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []) {
      const label = text(matcher.getChild('LabelName')!)
      const operator = text(matcher.getChild('MatchOp')!)
      const value = JSON.parse(text(matcher.getChild('StringLiteral')!)) as string
      const seen = family.labels.get(label)
      if (seen === undefined) {
        if (!TARGET.includes(label)) wrong(`${name} has no label ${label}`)
        continue
      }
      // Whatever it shall not be need not have been seen.
      if (operator.startsWith('!')) continue
      const pattern = operator.endsWith('~') ? new RegExp(`^(?:${value})$`) : undefined
      if (![...seen].some((one) => pattern?.test(one) ?? one === value)) {
        wrong(`${name} has no ${label} that is ${value}`)
      }
    }
    const kind = name.endsWith('_bucket') && family.kind === 'histogram' ? 'bucket' : family.kind
    return { form: 'vector', kind, labels: new Set([...family.labels.keys(), ...TARGET]) }
  }

  function aggregate(node: Node): Value {
    const body = evaluate(argumentsOf(node).at(-1)!)
    refuseCounter(body)
    const modifier = node.getChild('AggregateModifier')
    const named = labelsIn(modifier)
    for (const label of named) if (!body.labels.has(label)) wrong(`${text(node)}: no label ${label}`)
    if (modifier?.getChild('Without') != null) {
      return { form: 'vector', labels: new Set([...body.labels].filter((label) => !named.includes(label))) }
    }
    const buckets = body.kind === 'bucket' ? ({ kind: 'bucket' } as const) : {}
    return { form: 'vector', ...buckets, labels: new Set(named) }
  }

  function call(node: Node): Value {
    const name = text(node.getChild('FunctionIdentifier')!)
    const values = argumentsOf(node).map(evaluate)
    const [first = SCALAR] = values
    if (OF_COUNTERS.has(name)) {
      if (first.form !== 'range') wrong(`${name} wants a time to look over`)
      if (first.kind === 'gauge') wrong(`${text(node)}: ${name} of what goes down as well`)
      return { form: 'vector', labels: first.labels, ...(first.kind === 'bucket' && { kind: 'bucket' }) }
    }
    if (OF_GAUGES.has(name)) {
      if (first.form !== 'range') wrong(`${name} wants a time to look over`)
      if (first.kind !== 'gauge') wrong(`${text(node)}: ${name} of what only grows`)
      return { form: 'vector', kind: 'gauge', labels: first.labels }
    }
    if (name === 'histogram_quantile') {
      const buckets = values[1] ?? SCALAR
      if (buckets.kind !== 'bucket' || !buckets.labels.has('le')) wrong(`${text(node)}: no buckets`)
      return { form: 'vector', labels: new Set([...buckets.labels].filter((label) => label !== 'le')) }
    }
    if (!OF_ANYTHING.has(name)) wrong(`calls ${name}, which nobody here knows`)
    refuseCounter(first)
    return { form: first.form, labels: first.labels }
  }

  function combine(node: Node): Value {
    const [left, right] = [evaluate(node.firstChild!), evaluate(node.lastChild!)]
    const operator = node.firstChild!.nextSibling!.name
    // What there is may be asked of a counter, too.
    if (SET_OPERATORS.has(operator)) meet(node, left, right)
    else {
      for (const side of [left, right]) refuseCounter(side)
      if (left.form !== 'scalar' && right.form !== 'scalar') {
        const on = meet(node, left, right)
        if (on !== undefined) return { form: 'vector', labels: new Set(on) }
      }
    }
    return { form: 'vector', labels: left.form === 'scalar' ? right.labels : left.labels }
  }

  /** The labels by which two sides find each other, where the query names them. */
  function meet(node: Node, left: Value, right: Value): readonly string[] | undefined {
    const clause = node.getChild('MatchingModifierClause')
    if (clause === null) {
      const apart = [...left.labels, ...right.labels].filter(
        (label) => !left.labels.has(label) || !right.labels.has(label),
      )
      if (apart.length > 0) wrong(`${text(node)}: only one side has ${apart.join()}`)
      return undefined
    }
    const on = labelsIn(clause)
    for (const label of on) {
      if (!left.labels.has(label) || !right.labels.has(label)) wrong(`${text(node)}: no label ${label}`)
    }
    return on
  }

  function refuseCounter({ kind, form }: Value): void {
    if (form === 'vector' && kind === 'counter') wrong('reads a counter as if it went down, too')
  }

  function labelsIn(node: Node | null): string[] {
    return node?.getChild('GroupingLabels')?.getChildren('LabelName').map(text) ?? []
  }

  const value = evaluate(tree.topNode)
  refuseCounter(value)
  return { mistakes, metrics, labels: value.labels }
}

function argumentsOf(node: Node): Node[] {
  const found: Node[] = []
  for (let child = node.getChild('FunctionCallBody')!.firstChild; child !== null; child = child.nextSibling) {
    found.push(child)
  }
  return found
}
