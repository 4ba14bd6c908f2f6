import { fileURLToPath } from 'node:url'
import type { ConformanceTarget } from '#contract/models'
import { ADMINISTRATOR, features, HOSTNAME, limits, ORIGIN, targetModels } from './deployment.ts'
import { DOUBTED, EXTERNAL, externalModels } from './external.ts'
import { OPEN_TOKEN } from './proxy-config.ts'

const HOOKS = [
  'createWorkspace',
  'createKey',
  'updateKey',
  'revokeKey',
  'setBalance',
  'issueInvitation',
  'withdrawInvitation',
  'redeemInvitation',
  'debits',
  'books',
  'verifyLedger',
  'lostLimits',
  'registerUpstream',
  'setVerdict',
]

/** How the proxy's own verifier is called. */
const VERIFIER = fileURLToPath(new URL('../../bin/verifier', import.meta.url))

/** Where everything is. */
export interface Addresses {
  readonly routerPort: number
  readonly siblingUrl: string
  readonly spareUrl: string
  readonly siblingAdminUrl: string
  readonly proxyUrl: string
  readonly openProxyUrl: string
  readonly proxySocket: string
  readonly proxyPageUrl: string
  readonly platformUrl: string
  readonly rootPemFile: string
  readonly controlUrl: string
  readonly backendControlUrl: string
  readonly platformControlUrl: string
  readonly upstreamControlUrl: string
  readonly helperUrl: string
  readonly wireUrl: (name: WireName) => string
}

/** The wires of the deployment. */
export type WireName = 'database' | 'sibling' | 'spare' | 'store' | 'proxy' | 'router' | 'backend'

/** The target file that describes all of it. */
export function targetConfig(at: Addresses): object {
  return {
    product: { name: 'reference' },
    profiles: ['router', 'proxy', 'platform', 'console'],
    claims: ['given', 'chosen'],
    baseUrl: `http://127.0.0.1:${at.routerPort}/v1`,
    proxyUrl: at.proxyUrl,
    openProxyUrl: at.openProxyUrl,
    openProxyToken: OPEN_TOKEN,
    proxySocket: at.proxySocket,
    proxyPageUrl: at.proxyPageUrl,
    consoleUrl: `http://127.0.0.1:${at.routerPort}/console/api`,
    administrator: ADMINISTRATOR,
    siblingUrl: at.siblingUrl,
    spareUrl: at.spareUrl,
    siblingAdminUrl: at.siblingAdminUrl,
    platformUrl: at.platformUrl,
    platformHostname: HOSTNAME,
    caFile: at.rootPemFile,
    features,
    models: targetModels,
    endpoints: {
      own: 'demo',
      unfetched: 'unfetched',
      published: 'published',
      external: EXTERNAL,
      doubted: DOUBTED,
    },
    corsOrigin: ORIGIN,
    believesForwarded: true,
    limits,
    // Two busy cores.
    timing: { slack: 5 },
    hooks: {
      ...Object.fromEntries(HOOKS.map((name) => [name, { url: `${at.controlUrl}/${name}` }])),
      backendScript: { url: at.backendControlUrl },
      platformControl: { url: at.platformControlUrl },
      upstreamControl: { url: at.upstreamControlUrl },
      readMails: { url: `${at.helperUrl}/readMails` },
      publishEvidence: { url: `${at.helperUrl}/publishEvidence` },
      proxyControl: { url: `${at.helperUrl}/proxy` },
      startProxy: { url: `${at.helperUrl}/startProxy` },
      siblingControl: { url: `${at.helperUrl}/sibling` },
      storeWire: { url: at.wireUrl('store') },
      databaseWire: { url: at.wireUrl('database') },
      spareWire: { url: at.wireUrl('spare') },
      siblingWire: { url: at.wireUrl('sibling') },
      proxyWire: { url: at.wireUrl('proxy') },
      routerWire: { url: at.wireUrl('router') },
      backendWire: { url: at.wireUrl('backend') },
    },
    verifier: { command: JSON.stringify(VERIFIER), sameProduct: true },
  }
}

/** Hooks by which only own endpoints, or what surrounds them, can be told anything. */
const OWN_HOOKS = [
  'platformControl',
  'proxyControl',
  'startProxy',
  'siblingControl',
  'publishEvidence',
  'upstreamControl',
]

/** The same router once more, judged by the models that an external upstream serves. */
export function externalTarget(target: ConformanceTarget): ConformanceTarget {
  const { hooks = {}, endpoints = {}, verifier: _, ...rest } = target
  const kept = Object.entries(hooks).filter(([name]) => !OWN_HOOKS.includes(name) && !name.endsWith('Wire'))
  return {
    ...rest,
    product: { ...target.product, version: 'with its models at an external upstream' },
    profiles: ['router'],
    features: ['completions', 'embeddings', 'upstreams'],
    models: externalModels,
    endpoints: { ...(endpoints.external && { external: endpoints.external }) },
    hooks: Object.fromEntries(kept),
  }
}
