import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Bench } from '../engine/attempt.ts'
import { createHooks } from '../engine/hooks.ts'
import type { Target } from '../engine/target.ts'

/** A server that a test writes by hand. */
export interface Product {
  /** With `/v1`. */
  readonly baseUrl: string
  stop(): void
}

/** Serves on a free port. */
export async function serve(listener: RequestListener): Promise<Product> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A target with nothing but an address and a key. */
export function bareTarget(baseUrl: string, changes: Partial<Target> = {}): Target {
  return {
    product: { name: 'product' },
    profiles: ['router'],
    claims: ['given', 'chosen'],
    baseUrl,
    proxyUrl: undefined,
    openProxy: undefined,
    proxySocket: undefined,
    siblingUrl: undefined,
    siblingAdminUrl: undefined,
    spareUrl: undefined,
    consoleUrl: undefined,
    administrator: undefined,
    proxyPageUrl: undefined,
    platform: undefined,
    headers: {},
    ca: undefined,
    features: new Set(),
    keys: { active: `sk-tee-v1-${'k'.repeat(43)}` },
    models: { chat: 'a/model' },
    endpoints: {},
    corsOrigin: undefined,
    mayGenerate: true,
    believesForwarded: false,
    limits: {
      maxBodyBytes: 1_000,
      bodyMemoryBytes: 2_000,
      pingMs: 100,
      firstByteMs: 100,
      idleMs: 100,
      stalledClientMs: 100,
      templateTokens: 0,
      requestsPerMinute: 600,
      tokensPerMinute: 2_000_000,
      drainMs: 100,
      evidencePollMs: 100,
      resignMs: 100,
    },
    slack: 1,
    expectedFailures: [],
    overdue: [],
    hooks: {},
    verifier: undefined,
    ...changes,
  }
}

/** What runs scenarios at a target. */
export function benchFor(target: Target, changes: Partial<Bench> = {}): Bench {
  return {
    target,
    hooks: createHooks(target.hooks),
    seed: 7,
    tellSecret: () => {},
    isJudging: true,
    ...changes,
  }
}
