import type { ConformanceTarget, HookConfig } from '#contract/models'
import type { ConfigProblem } from '../../config/error.ts'
import { whyUnknown } from '../lock/lock.ts'
import { isRuleId } from './rules.ts'
import { UNIVERSAL } from './universal/name.ts'

/** What a schema cannot say of a target file. */
export function mistakesOf(written: ConformanceTarget): ConfigProblem[] {
  return [
    ...missingAddresses(written),
    ...wrongAddresses(written),
    ...wrongHeaders(written),
    ...wrongHooks(written),
    ...wrongAnnouncements(written),
  ]
}

function missingAddresses(written: ConformanceTarget): ConfigProblem[] {
  const { profiles, proxyUrl, platformUrl, consoleUrl } = written
  const problems: ConfigProblem[] = []
  if (profiles.includes('proxy') && proxyUrl === undefined) {
    problems.push({ path: 'proxyUrl', message: 'is missing, though the proxy is to be judged' })
  }
  if (profiles.includes('platform') && platformUrl === undefined) {
    problems.push({ path: 'platformUrl', message: 'is missing, though the platform is to be judged' })
  }
  if (profiles.includes('console') && consoleUrl === undefined) {
    problems.push({ path: 'consoleUrl', message: 'is missing, though the console is to be judged' })
  }
  if (new Set(profiles).size < profiles.length) {
    problems.push({ path: 'profiles', message: 'names one twice' })
  }
  return problems
}

/** What no request can be made to would look like a router that is away. */
function wrongAddresses(written: ConformanceTarget): ConfigProblem[] {
  const { hooks = {} } = written
  const named = Object.entries(written).filter(([name]) => name.endsWith('Url'))
  const ofHooks = Object.entries(hooks).map(([name, { url }]) => [`hooks.${name}.url`, url] as const)
  return [...named, ...ofHooks].flatMap(([path, url]) => {
    const message = typeof url === 'string' ? whyNoAddress(url) : undefined
    return message === undefined ? [] : [{ path, message }]
  })
}

function whyNoAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is no address: its host or its port cannot be'
  const { username, password, hash } = new URL(text)
  // The address stands in every report.
  if (username !== '' || password !== '') return 'must hold no name and no password; headers may'
  return hash === '' ? undefined : 'must hold no #'
}

function wrongHeaders({ headers = {} }: ConformanceTarget): ConfigProblem[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const path = `headers.${name}`
    if (typeof value !== 'string') return [{ path, message: 'must be text; quote it' }]
    return canBeSent(name, value) ? [] : [{ path, message: 'cannot be sent as a header' }]
  })
}

function canBeSent(name: string, value: string): boolean {
  try {
    new Headers([[name, value]])
    return true
  } catch {
    return false
  }
}

function wrongHooks({ hooks = {} }: ConformanceTarget): ConfigProblem[] {
  return (Object.entries(hooks) as [string, HookConfig][])
    .filter(([, { url, command }]) => (url === undefined) === (command === undefined))
    .map(([name]) => ({ path: `hooks.${name}`, message: 'needs either url or command' }))
}

/** A failure that nothing can show, or an end that never comes, would be announced for ever. */
function wrongAnnouncements({ expectedFailures = [] }: ConformanceTarget): ConfigProblem[] {
  return expectedFailures.flatMap(({ scenario, check, until }, index) => {
    const of = (name: string, message: string | undefined) =>
      message === undefined ? [] : [{ path: `expectedFailures[${index}].${name}`, message }]
    const unknown = scenario === UNIVERSAL ? undefined : whyUnknown(scenario)
    return [
      ...of('scenario', unknown),
      ...of('check', whyNoCheck(scenario, check)),
      ...of('until', until === undefined || isDay(until) ? undefined : 'is no day such as 2030-01-31'),
    ]
  })
}

function whyNoCheck(scenario: string, check: string | undefined): string | undefined {
  if (check === undefined)
    return scenario === UNIVERSAL ? 'is missing: of universal one rule is told' : undefined
  return isRuleId(check) ? undefined : `names ${check}, and there is no such rule`
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}
