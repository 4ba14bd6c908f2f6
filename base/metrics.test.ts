import { expect, test } from 'vitest'
import { printMetrics } from './metrics.ts'

test('metrics are written as Prometheus reads them, under its spelling of their names', () => {
  const text = printMetrics([
    {
      name: 'http.server.request.duration',
      kind: 'histogram',
      unit: 's',
      description: 'Of every request.',
      points: [
        { part: '_count', value: 3, labels: { 'http.route': '/v1/models' } },
        { part: '_sum', value: 0.75, labels: { 'http.route': '/v1/models' } },
        { part: '_bucket', value: 3, labels: { 'http.route': '/v1/models', le: '+Inf' } },
      ],
    },
    { name: 'router.refused', kind: 'counter', description: 'Refused.', points: [{ value: 1e21 }] },
    { name: 'proxy_checks_total', kind: 'counter', description: 'Checks.', points: [] },
    { name: 'level', kind: 'gauge', unit: '1', description: 'A level.', points: [{ value: -1, labels: {} }] },
  ])
  expect(text).toBe(`# HELP http_server_request_duration Of every request.
# UNIT http_server_request_duration s
# TYPE http_server_request_duration histogram
http_server_request_duration_count{http_route="/v1/models"} 3
http_server_request_duration_sum{http_route="/v1/models"} 0.75
http_server_request_duration_bucket{http_route="/v1/models",le="+Inf"} 3
# HELP router_refused_total Refused.
# TYPE router_refused_total counter
router_refused_total 1e+21
# HELP proxy_checks_total Checks.
# TYPE proxy_checks_total counter
# HELP level A level.
# UNIT level 1
# TYPE level gauge
level -1
`)
})

test('no text ends its line or its label, and each is shown', () => {
  const labels = { a: 'one\n"two"\\', b: '\u001b[2J' }
  const text = printMetrics([
    { name: 'm', kind: 'gauge', description: 'a\nb', points: [{ value: 1, labels }] },
  ])
  expect(text.split('\n')).toEqual([
    '# HELP m a\\\\u000ab',
    '# TYPE m gauge',
    'm{a="one\\\\u000a\\"two\\"\\\\",b="\\\\u001b[2J"} 1',
    '',
  ])
})
