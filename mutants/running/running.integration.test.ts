import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { StartProxyCommand } from '#contract/models'
import { discover } from '../../conformance/engine/discover.ts'
import { statesOf } from '../../conformance/engine/rule-states.ts'
import { runSuite } from '../../conformance/engine/suite.ts'
import { startHelper } from '../../conformance/testing/helper.ts'
import { bareTarget, benchFor } from '../../conformance/testing/product.ts'
import { createServedProxy } from '../../conformance/testing/served-proxy.ts'
import { neverAdmits, type RunningFault, runningFaults } from './faults.ts'

const folder = mkdtempSync(join(tmpdir(), 'running-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const scenarios = (await discover())
  .map(({ scenario }) => scenario)
  .filter(({ id }) => id.startsWith('served/'))

/** Nobody listens there: all that is asked goes to where the hook says. */
const NOWHERE = 'http://127.0.0.1:9/v1'

/** What the suite says of the proxy: the scenarios that failed, and the rules that are broken. */
async function judge(fault?: Pick<RunningFault, 'id'>) {
  const plant = pathToFileURL(join(import.meta.dirname, 'plant.ts')).href
  const env = fault && { NODE_OPTIONS: `--import=${plant}`, RUNNING_FAULT: fault.id }
  const proxy = createServedProxy(join(folder, fault?.id ?? 'sound'), env)
  const helper = await startHelper({
    '/startProxy': (command) => proxy.start(command as unknown as StartProxyCommand),
  })
  const target = bareTarget(NOWHERE, {
    profiles: ['proxy'],
    proxyUrl: NOWHERE,
    features: new Set(['policies']),
    // Two busy cores.
    slack: 5,
    hooks: { startProxy: { url: `${helper.url}/startProxy` } },
  })
  try {
    const outcomes = await runSuite({
      ...benchFor(target),
      scenarios,
      profiles: ['proxy'],
      jobs: 8,
      isSlow: false,
    })
    return {
      failed: outcomes.filter(({ verdict }) => verdict !== 'pass').map(({ scenario }) => scenario.id),
      broken: statesOf('proxy', outcomes).flatMap(({ id, state }) => (state === 'broken' ? [id] : [])),
      kept: statesOf('proxy', outcomes).flatMap(({ id, state }) => (state === 'kept' ? [id] : [])),
    }
  } finally {
    await proxy.stop()
    await helper.close()
  }
}

test('the proxy as it is forwards what is verified, and refuses each vector on its own ground', async () => {
  const { failed, broken, kept } = await judge()
  expect({ failed, broken }).toEqual({ failed: [], broken: [] })
  expect(kept).toEqual(expect.arrayContaining(['PRXY-02', 'PRXY-04', 'VRFY-14', 'VRFY-20', 'VRFY-23']))
})

test.each(runningFaults)(
  '$id in a running proxy is told by its vectors, and breaks just those rules',
  async (fault) => {
    const { failed, broken } = await judge(fault)
    expect(failed.toSorted()).toEqual(fault.expectKilledBy.map((id) => `served/${id}`).toSorted())
    // That it refuses at the right stage is a rule of all refusals.
    expect(broken.filter((rule) => rule !== 'VERD-16').toSorted()).toEqual([...fault.violates].toSorted())
  },
)

test('a proxy that refuses whatever it is shown has kept nothing by that', async () => {
  const { failed, broken, kept } = await judge(neverAdmits)
  expect(failed.toSorted()).toEqual(neverAdmits.expectKilledBy.map((id) => `served/${id}`).toSorted())
  expect({ broken, kept }).toEqual({ broken: neverAdmits.violates, kept: [] })
})
