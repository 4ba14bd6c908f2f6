import { expect, test } from 'vitest'
import { silent } from '../log.ts'
import type { Observation } from '../relay/observation.ts'
import { expose } from './exposition.ts'
import type { Metric } from './metric.ts'
import { gauge } from './metric.ts'
import { createRecorder } from './recorder.ts'

/** What an operator's Prometheus is given. */
const scrape = (metrics: readonly Metric[]) => expose(metrics, silent)

const ended: Observation = {
  operation: 'chat',
  model: 'demo/tiny-chat',
  end: {
    status: 'ok',
    finishReason: 'stop',
    usage: { promptTokens: 12, completionTokens: 34 },
    usageSource: 'backend',
    latencyMs: 1_000,
    timeToFirstTokenMs: 10,
  },
  cause: undefined,
  overheadMs: 0.6,
}

const CHAT =
  'gen_ai_operation_name="chat",gen_ai_provider_name="confidential-inference-router",gen_ai_request_model="demo/tiny-chat"'

test('a generation is published under OpenTelemetry’s names, in seconds and tokens', async () => {
  const { observe, metrics } = createRecorder(['demo/tiny-chat'])
  observe(ended)
  observe({ ...ended, cause: 'client_left', end: { ...ended.end, status: 'aborted' } })
  const text = await scrape(metrics)
  expect(text).toContain(`gen_ai_server_request_duration_count{${CHAT}} 1\n`)
  expect(text).toContain(`gen_ai_server_request_duration_bucket{${CHAT},le="0.64"} 0\n`)
  expect(text).toContain(`gen_ai_server_request_duration_bucket{${CHAT},le="1.28"} 1\n`)
  expect(text).toContain(`gen_ai_server_request_duration_count{${CHAT},error_type="client_left"} 1\n`)
  expect(text).toContain(`gen_ai_server_time_to_first_token_sum{${CHAT}} 0.02\n`)
  expect(text).toContain(`gen_ai_server_time_per_output_token_sum{${CHAT}} 0.06\n`)
  expect(text).toContain(`gen_ai_client_token_usage_sum{${CHAT},gen_ai_token_type="input"} 24\n`)
  expect(text).toContain(`gen_ai_client_token_usage_sum{${CHAT},gen_ai_token_type="output"} 68\n`)
  expect(text).toContain('router_overhead_bucket{gen_ai_operation_name="chat",le="0.001"} 2\n')
  expect(text).toContain(
    'router_generations_aborted_total{gen_ai_request_model="demo/tiny-chat",cause="client_left"} 1\n',
  )
})

test('what has never happened yet is a zero for each model, so that its first time is a rise', async () => {
  const text = await scrape(createRecorder(['a/one', 'b/two']).metrics)
  for (const model of ['a/one', 'b/two']) {
    const label = `gen_ai_request_model="${model}"`
    expect(text).toContain(`router_generations_without_usage_total{${label}} 0\n`)
    expect(text).toContain(`router_generations_aborted_total{${label},cause="unsettled"} 0\n`)
  }
})

test('counted and reported micro-dollars are summed, and doubtful usage is counted by what is wrong with it', async () => {
  const { observe, metrics } = createRecorder(['demo/tiny-chat'])
  const comparison = { backend: '1', countedMicros: 19, reportedMicros: 405, finding: undefined }
  observe({ ...ended, comparison })
  observe({ ...ended, comparison: { ...comparison, countedMicros: 30, reportedMicros: 4, finding: 'low' } })
  observe({ ...ended, comparison: { ...comparison, finding: 'bounded' } })
  observe(ended)
  const text = await scrape(metrics)
  const labels = 'gen_ai_request_model="demo/tiny-chat",backend="1"'
  expect(text).toContain(`router_usage_counted_total{${labels}} 68\n`)
  expect(text).toContain(`router_usage_reported_total{${labels}} 814\n`)
  for (const finding of ['low', 'bounded'])
    expect(text).toContain(`router_usage_doubtful_total{${labels},finding="${finding}"} 1\n`)
})

test('a finished answer without usage is counted, an aborted one is not', async () => {
  const { observe, metrics } = createRecorder(['demo/tiny-chat'])
  const series = 'router_generations_without_usage_total{gen_ai_request_model="demo/tiny-chat"}'
  expect(await scrape(metrics)).toContain(`${series} 0\n`)
  const counted = { ...ended.end, usageSource: 'counted' } as const
  observe({ ...ended, end: counted })
  observe({ ...ended, end: { ...counted, status: 'aborted' }, cause: 'backend_error' })
  expect(await scrape(metrics)).toContain(`${series} 1\n`)
})

test('a refusal by a bucket, and the loss of their shared store, are told', async () => {
  const { limits, metrics } = createRecorder([])
  expect(await scrape(metrics)).toContain('router_limits_refused_total{bucket="key_requests"} 0\n')
  limits.refused('key_requests')
  limits.lost(true)
  const text = await scrape(metrics)
  expect(text).toContain('router_limits_refused_total{bucket="key_requests"} 1\n')
  expect(text).toContain('router_limits_shared_lost 1\n')
  limits.lost(false)
  expect(await scrape(metrics)).toContain('router_limits_shared_lost 0\n')
})

test('every metric says what it is, and none of its names is invented where a convention has one', async () => {
  const { requestEnded, observe, metrics } = createRecorder(['m'])
  observe(ended)
  requestEnded({ method: 'GET', route: '/v1/models', status: 200, code: undefined, durationMs: 2 })
  requestEnded({ method: 'POST', route: undefined, status: 404, code: 'not_found', durationMs: 1 })
  const text = await scrape(metrics)
  expect(text).toContain(
    'http_server_request_duration_count{http_request_method="GET",http_route="/v1/models",http_response_status_code="200"} 1\n',
  )
  expect(text).toContain(
    'http_server_request_duration_count{http_request_method="POST",http_response_status_code="404",error_type="not_found"} 1\n',
  )
  for (const { name, description } of metrics) {
    expect(name).toMatch(/^(gen_ai|http|router)\./)
    expect(description).not.toBe('')
  }
})

test('a reading that cannot be taken leaves out its metric and no other', async () => {
  const text = await scrape([
    gauge('router.broken', '1', 'Fails.', () => Promise.reject(new Error('away'))),
    gauge('router.whole', '1', 'Works.', () => [{ value: 7 }]),
  ])
  expect(text).toContain('router_whole 7\n')
  expect(text).not.toMatch(/^router_broken/m)
})

test('to count a generation costs a few microseconds at most', () => {
  const { observe } = createRecorder(['demo/tiny-chat'])
  const rounds = 20_000
  for (let round = 0; round < rounds; round++) observe(ended)
  // The processor's time: a clock on the wall measures other programs as well.
  const begun = process.cpuUsage()
  for (let round = 0; round < rounds; round++) observe(ended)
  const { user, system } = process.cpuUsage(begun)
  expect((user + system) / rounds).toBeLessThan(50)
})
