import type { ValidatorError } from '../../config/load.ts'
import { checkPins, checkPolicies, checkRoots } from './approvals.ts'
import { addressOf, checkAdmin, checkListener } from './listeners.ts'
import { at, listAt, type Report } from './look.ts'

/** What a schema cannot say of a configuration; its value may have any shape, as the schema's own errors come along. */
export function mistakesOf(config: unknown, folder: string): ValidatorError[] {
  const mistakes: ValidatorError[] = []
  const report: Report = (instancePath, message) => mistakes.push({ instancePath, keyword: 'proxy', message })
  const endpoints = listAt(config, 'endpoints')
  checkAdmin(at(config, 'admin'), endpoints, report)
  for (const [index, endpoint] of endpoints.entries()) {
    const path = `/endpoints/${index}`
    checkUrl(endpoint, path, report)
    checkListener(at(endpoint, 'listen'), `${path}/listen`, report)
    checkRoots(listAt(endpoint, 'roots'), `${path}/roots`, folder, report)
    checkPins(listAt(endpoint, 'pins'), `${path}/pins`, report)
    checkPolicies(listAt(endpoint, 'policies'), `${path}/policies`, report)
  }
  reportRepeated(
    endpoints.map((endpoint) => at(endpoint, 'name')),
    'name',
    'stands twice',
    report,
  )
  reportRepeated(endpoints.map(addressOf), 'listen', 'is the address of another endpoint', report)
  return mistakes
}

function checkUrl(endpoint: unknown, path: string, report: Report): void {
  const url = at(endpoint, 'url')
  if (typeof url !== 'string') return
  const { username, password, search, hash } = URL.canParse(url) ? new URL(url) : {}
  if (username === undefined) report(`${path}/url`, 'is not a URL')
  else if (username || password || search || hash)
    report(`${path}/url`, 'must be an address and /v1, no more')
}

function reportRepeated(values: readonly unknown[], key: string, message: string, report: Report): void {
  for (const [index, value] of values.entries()) {
    if (value !== undefined && values.indexOf(value) < index) report(`/endpoints/${index}/${key}`, message)
  }
}
