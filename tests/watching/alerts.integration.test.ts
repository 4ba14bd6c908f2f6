// @module-tag promtool

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { findProgram } from '../needs.ts'

const FOLDER = join(import.meta.dirname, '../../deploy/prometheus')
const RULES = join(FOLDER, 'alerts.yaml')

interface Group {
  readonly rules: readonly { readonly alert: string }[]
}

const names = (parse(readFileSync(RULES, 'utf8')) as { groups: Group[] }).groups.flatMap(({ rules }) =>
  rules.map(({ alert }) => alert),
)

/** Of one router, or of one proxy. */
const router = (rest = '') => `job="router",instance="a:9464"${rest && `,${rest}`}`
const proxy = (rest = '') => `job="proxy",instance="b:8485"${rest && `,${rest}`}`
const MODEL = 'gen_ai_request_model="acme/large"'

/** Series by what they are at each half minute, in Prometheus' notation, when all is well. */
const well: Readonly<Record<string, string>> = {
  [`up{${router()}}`]: '1x300',
  [`router_holds_open{${router()}}`]: '3x300',
  [`router_holds_oldest_age{${router()}}`]: '20x300',
  [`router_cells_leased{${router('cell="b"')}}`]: '1x300',
  [`router_settlements_waiting{${router()}}`]: '5x300',
  [`router_generations_running{${router()}}`]: '3x300',
  [`gen_ai_server_request_duration_count{${router()}}`]: '0+300x300',
  [`router_generations_aborted_total{${router(`${MODEL},cause="unsettled"`)}}`]: '0x300',
  [`router_generations_reaped_total{${router('cause="lease_lapsed"')}}`]: '0x300',
  [`http_server_request_duration_count{${router('http_response_status_code="200"')}}`]: '0+2000x300',
  [`http_server_request_duration_count{${router('http_response_status_code="502"')}}`]: '0+1x300',
  [`router_requests_shed_total{${router('stage="judged"')}}`]: '0x300',
  [`router_connections_refused_total{${router()}}`]: '0x300',
  [`router_bodies_refused_total{${router('share="all"')}}`]: '0x300',
  [`router_requests_held{${router('stage="judged"')}}`]: '10x300',
  [`router_requests_limit{${router('stage="judged"')}}`]: '512x300',
  [`nodejs_eventloop_utilization{${router()}}`]: '0.5x300',
  [`router_backends_avoided{${router(`${MODEL},backend="0"`)}}`]: '0x300',
  [`router_backends_avoided{${router(`${MODEL},backend="1"`)}}`]: '0x300',
  [`router_upstreams_verdict{${router('endpoint="vendor",state="denied"')}}`]: '0x300',
  [`router_upstreams_verdict{${router('endpoint="vendor",state="pending"')}}`]: '0x300',
  [`router_upstreams_foreign_answers_total{${router('endpoint="vendor"')}}`]: '0x300',
  [`router_evidence_age{${router('endpoint="vm-1"')}}`]: '180x300',
  [`router_generations_without_usage_total{${router(MODEL)}}`]: '0x300',
  [`router_usage_doubtful_total{${router(`${MODEL},backend="0",finding="low"`)}}`]: '0x300',
  [`router_limits_shared_lost{${router()}}`]: '0x300',
  [`router_config_refused{${router()}}`]: '0x300',
  [`router_config_info{${router('version="1"')}}`]: '1x300',
  [`router_months_ahead{${router()}}`]: '3x300',
  [`router_months_astray{${router()}}`]: '0x300',
  [`up{${proxy()}}`]: '1x300',
  [`proxy_endpoint_admitted{${proxy('endpoint="default"')}}`]: '1x300',
  [`proxy_verdict_expires_seconds{${proxy('endpoint="default"')}}`]: '100x300',
  [`proxy_journal_writable{${proxy()}}`]: '1x300',
  [`proxy_journal_lost_lines_total{${proxy()}}`]: '0x300',
  [`proxy_journal_continued{${proxy()}}`]: '0x300',
}

/** For each alert what has to be otherwise, and the labels that it tells; by the series' own names, as above. */
const ill: readonly [alert: string, series: string, values: string, ...more: string[]][] = [
  ['RouterDown', `up{${router()}}`, '0x300'],
  ['RouterWithoutDatabase', `router_holds_open{${router()}}`, '_x300'],
  ['RouterCellLost', `router_cells_leased{${router('cell="b"')}}`, '0x300'],
  ['RouterLedgerBehind', `router_settlements_waiting{${router()}}`, '30x300'],
  [
    'RouterUnsettled',
    `router_generations_aborted_total{${router(`${MODEL},cause="unsettled"`)}}`,
    '0x278 1x22',
  ],
  ['RouterHoldsLeft', `router_holds_open{${router()}}`, '300x300'],
  ['RouterHoldOld', `router_holds_oldest_age{${router()}}`, '4000x300'],
  ['RouterReaped', `router_generations_reaped_total{${router('cause="lease_lapsed"')}}`, '0x278 7x22'],
  [
    'RouterErrors',
    `http_server_request_duration_count{${router('http_response_status_code="502"')}}`,
    '0+100x300',
  ],
  ['RouterOverloaded', `router_requests_shed_total{${router('stage="judged"')}}`, '0+1x300'],
  ['RouterConnectionsRefused', `router_connections_refused_total{${router()}}`, '0+1x300'],
  ['RouterBodiesRefused', `router_bodies_refused_total{${router('share="all"')}}`, '0+1x300'],
  ['RouterQueueLong', `router_requests_held{${router('stage="judged"')}}`, '300x300'],
  ['RouterLoopBusy', `nodejs_eventloop_utilization{${router()}}`, '0.95x300'],
  [
    'RouterBackendsAway',
    `router_backends_avoided{${router(`${MODEL},backend="0"`)}}`,
    '1x300',
    `router_backends_avoided{${router(`${MODEL},backend="1"`)}}`,
  ],
  ['RouterBackendAvoided', `router_backends_avoided{${router(`${MODEL},backend="1"`)}}`, '1x300'],
  [
    'RouterUpstreamDenied',
    `router_upstreams_verdict{${router('endpoint="vendor",state="denied"')}}`,
    '1x300',
  ],
  [
    'RouterUpstreamUnverified',
    `router_upstreams_verdict{${router('endpoint="vendor",state="pending"')}}`,
    '1x300',
  ],
  [
    'RouterForeignAnswers',
    `router_upstreams_foreign_answers_total{${router('endpoint="vendor"')}}`,
    '0x278 1x22',
  ],
  ['RouterEvidenceOld', `router_evidence_age{${router('endpoint="vm-1"')}}`, '1000x300'],
  ['RouterUsageMissing', `router_generations_without_usage_total{${router(MODEL)}}`, '0x278 1x22'],
  [
    'RouterUsageDoubtful',
    `router_usage_doubtful_total{${router(`${MODEL},backend="0",finding="low"`)}}`,
    '0+1x300',
  ],
  ['RouterLimitsApart', `router_limits_shared_lost{${router()}}`, '1x300'],
  ['RouterConfigRefused', `router_config_refused{${router()}}`, '1x300'],
  ['RouterConfigsDiffer', 'router_config_info{job="router",instance="c:9464",version="2"}', '1x300'],
  ['RouterMonthsMissing', `router_months_ahead{${router()}}`, '0x300'],
  ['RouterMonthsAstray', `router_months_astray{${router()}}`, '4x300'],
  ['ProxyDown', `up{${proxy()}}`, '0x300'],
  ['ProxyWithoutVerdict', `proxy_endpoint_admitted{${proxy('endpoint="default"')}}`, '0x300'],
  ['ProxyVerdictEnds', `proxy_verdict_expires_seconds{${proxy('endpoint="default"')}}`, '30x300'],
  [
    'ProxyForeignAnswers',
    `proxy_checks_total{${proxy('endpoint="default",result="foreign"')}}`,
    '_x278 1x22',
  ],
  ['ProxyJournalStopped', `proxy_journal_writable{${proxy()}}`, '0x300'],
  ['ProxyJournalContinued', `proxy_journal_continued{${proxy()}}`, '1x300'],
]

/** At this moment promtool looks; the 278th value is that of a minute before. */
const LOOKED_AT = '140m'

/** Has promtool play series, and tells which of the alerts fire at the end of them. */
function firing(series: Readonly<Record<string, string>>): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'alerts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'test.yaml')
  const played = Object.entries(series).map(([one, values]) => ({ series: one, values }))
  const looked = names.map((alertname) => ({ alertname, eval_time: LOOKED_AT, exp_alerts: [] }))
  const tests = [{ interval: '30s', input_series: played, alert_rule_test: looked }]
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '30s', tests }))
  const { stdout, stderr } = promtool('test', 'rules', file)
  // It was told to expect none: each that fires is a complaint that names it.
  const found = [...`${stdout}${stderr}`.matchAll(/alertname: ?(\w+), time/g)].map(([, name]) => name!)
  if (found.length === 0 && !stdout.includes('SUCCESS')) throw new Error(`${stdout}${stderr}`)
  return found
}

function promtool(...args: readonly string[]) {
  return spawnSync(findProgram('promtool')!, args, { encoding: 'utf8' })
}

test('Prometheus takes its configuration and every rule', () => {
  const { status, stdout, stderr } = promtool('check', 'config', join(FOLDER, 'prometheus.yml'))
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain(`${names.length} rules found`)
})

test('no alert fires when all is well', () => {
  expect(firing(well)).toEqual([])
})

test('no alert fires by what other programs publish under names of OpenTelemetry', () => {
  const shop = 'job="shop",instance="d:8080"'
  const others = {
    [`http_server_request_duration_count{${shop},http_response_status_code="500"}`]: '0+1000x300',
    [`nodejs_eventloop_utilization{${shop}}`]: '0.99x300',
  }
  expect(firing({ ...well, ...others })).toEqual([])
})

test('each alert has its illness here', () => {
  expect(ill.map(([alert]) => alert)).toEqual(names)
})

test.each(ill)('%s fires when %s is %s', (alert, series, values, ...more) => {
  const changed = Object.fromEntries([series, ...more].map((one) => [one, values]))
  expect(firing({ ...well, ...changed })).toContain(alert)
})
