import { expect, test } from 'vitest'
import { readFamilies } from './families.ts'
import { judgeQuery } from './query.ts'

const families = readFamilies([
  `# HELP held In hand.
# TYPE held gauge
held{stage="judged"} 1
# TYPE most gauge
most{stage="judged"} 2
# TYPE alone gauge
alone 1
# TYPE ended_total counter
ended_total{cause="left"} 3
# TYPE duration histogram
duration_count{route="/a",status="200"} 1
duration_sum{route="/a",status="200"} 1
duration_bucket{route="/a",status="200",le="+Inf"} 1
`,
  '# TYPE held gauge\nheld{stage="held",cell="a"} 1\n',
])

test.each([
  ['held', ['stage', 'cell', 'job', 'instance']],
  ['held{stage="held", job="router"} > 1', ['stage', 'cell', 'job', 'instance']],
  ['held{stage!="nothing"}', ['stage', 'cell', 'job', 'instance']],
  ['sum by (cause) (rate(ended_total[5m]))', ['cause']],
  ['sum(rate(duration_count{status=~"2.."}[5m])) / on () sum(rate(duration_count[5m]))', []],
  ['histogram_quantile(0.99, sum by (le, route) (rate(duration_bucket[5m])))', ['route']],
  ['alone unless on (job) held', ['job', 'instance']],
  ['ended_total unless ended_total offset 5m', ['cause', 'job', 'instance']],
  ['clamp_min(max_over_time(alone[5m]), 1)', ['job', 'instance']],
])('%s is read, with its labels', (query, labels) => {
  expect(judgeQuery(query, families)).toMatchObject({ mistakes: [], labels: new Set(labels) })
})

test.each([
  ['sum by (', 'is no PromQL'],
  ['sum(held', 'is no PromQL'],
  ['helt', 'helt is published by nobody'],
  ['rate(ended[5m])', 'ended is published by nobody'],
  ['held{stages="judged"}', 'held has no label stages'],
  ['held{stages!="judged"}', 'held has no label stages'],
  ['held{stage="waiting"}', 'held has no stage that is waiting'],
  ['rate(duration_count{status=~"5.."}[5m])', 'duration_count has no status that is 5..'],
  ['sum by (model) (held)', 'no label model'],
  ['held / most', 'only one side has cell'],
  ['held / on (stage, model) most', 'no label model'],
  ['rate(held[5m])', 'rate of what goes down as well'],
  ['rate(ended_total)', 'rate wants a time'],
  ['ended_total > 1', 'reads a counter as if it went down'],
  ['sum(ended_total)', 'reads a counter as if it went down'],
  ['ended_total', 'reads a counter as if it went down'],
  ['deriv(ended_total[5m])', 'deriv of what only grows'],
  ['histogram_quantile(0.9, sum by (route) (rate(duration_bucket[5m])))', 'no buckets'],
  ['histogram_quantile(0.9, sum by (route) (rate(duration_count[5m])))', 'no buckets'],
  ['absent(held)', 'calls absent, which nobody here knows'],
])('%s is refused: %s', (query, words) => {
  const { mistakes } = judgeQuery(query, families)
  expect(mistakes.join('\n')).toContain(words)
})

test('what nobody gives a type is refused', () => {
  expect(() => readFamilies(['held 1\n'])).toThrow('of what type')
})
