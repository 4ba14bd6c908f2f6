import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { runMatrix } from './matrix.ts'
import { breaches, percent, shareOk, tableOf } from './report.ts'
import { startWorld } from './world.ts'

const USAGE = `usage: npm run rotations -- [--clients 50] [--cell-ms 3000] [--json]
  Renews everything that a platform can renew, atomic and split (the certificate first, the signature for it at once, after
  3 s or after 10 s), under the load of so many streams through one proxy
  that is never restarted. Exits with 1 when a request is lost, sent twice or sent over what was not verified.`

const { clients, 'cell-ms': cellMs, json, help } = parseOptions()
if (help) {
  console.log(USAGE)
  process.exit(0)
}

const begun = performance.now()
// People follow on stderr, so that stdout holds the document alone.
const say = json ? console.error : console.log
say('Starting the model, the router and its database, two platforms and the proxy.')
const world = await startWorld()
try {
  const onCell = ({
    rotation,
    how,
    ok,
    requests,
  }: {
    rotation: string
    how: string
    ok: number
    requests: number
  }) => say(`  ${rotation}, ${how}: ${ok} of ${requests} requests had a 200`)
  const cells = await runMatrix(world, { clients: Number(clients), cellMs: Number(cellMs), onCell })
  const found = breaches(cells)
  const share = shareOk(cells)
  if (json)
    console.log(
      JSON.stringify({ kept: found.length === 0, share_ok: share, cells, breaches: found }, undefined, 2),
    )
  else console.log(`\n${tableOf(cells).join('\n')}\n\n${percent(share)} of all requests had a 200.`)
  for (const breach of found) console.error(breach)
  say(`${found.length === 0 ? 'The promise is kept' : 'THE PROMISE IS BROKEN'} (${seconds()} s).`)
  process.exitCode = found.length === 0 ? 0 : 1
} finally {
  await world.stop()
}

function seconds(): number {
  return Math.round((performance.now() - begun) / 1_000)
}

function parseOptions() {
  try {
    return parseArgs({
      options: {
        clients: { type: 'string', default: '50' },
        'cell-ms': { type: 'string', default: '3000' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    process.exit(2)
  }
}
