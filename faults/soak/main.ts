import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { complain, complainOf, print } from '#base/print.ts'
import { audit } from '../audit/audit.ts'
import { createWatch } from '../audit/occupied.ts'
import { startLoad } from '../load/load.ts'
import { startWorld } from '../world/world.ts'
import { plot } from './plot.ts'
import { chartsOf, type Sample, takeSample } from './sample.ts'

const HELP = `usage: npm run soak -- [--minutes 10] [--seed 1] [--clients 24] [--out .data/soak.svg] [--json]
  Runs the whole stack under the load of the fault run, breaks nothing, draws what each process occupies into an SVG file,
  and audits at the end as the fault run does. Exits with 0 when everything agrees.`

const SAMPLE_MS = 2_000
const WARM_UP_MS = 10_000

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  try {
    const { minutes, seed, clients, out, json, help } = parse(args)
    if (help) {
      console.log(HELP)
      return 0
    }
    for (const [name, text] of Object.entries({ minutes, seed, clients })) {
      if (!/^[1-9]\d{0,8}$/.test(text)) throw new TypeError(`--${name} must be a whole number from 1.`)
    }
    return await soak({ minutes: Number(minutes), seed: Number(seed), clients: Number(clients), out, json })
  } catch (error) {
    complainOf(error)
    if (!(error instanceof TypeError)) return 1
    complain('npm run soak -- --help tells what there is.')
    return 2
  }
}

interface SoakOptions {
  readonly minutes: number
  readonly seed: number
  readonly clients: number
  readonly out: string
  readonly json: boolean
}

async function soak({ minutes, seed, clients, out, json }: SoakOptions): Promise<number> {
  complain('Starting the database, Redis, the model, the platform, the routers and the proxy.')
  const world = await startWorld({ routers: 2, isReplicated: false })
  try {
    const seats = [world.proxy, world.platform, ...world.routers].map(({ seat }) => seat)
    const watch = createWatch()
    const warming = startLoad({ world, seed, episode: 0, clients })
    await sleep(WARM_UP_MS)
    const sightings = await warming.stop()
    await watch.check(world)
    const begunMs = performance.now()
    const samples: Sample[] = []
    const load = startLoad({ world, seed, episode: 1, clients })
    while (performance.now() < begunMs + minutes * 60_000) {
      samples.push(takeSample(seats, (performance.now() - begunMs) / 1_000))
      await sleep(SAMPLE_MS)
    }
    sightings.push(...(await load.stop()))
    const { violations, records } = await audit(world, { sightings, happened: [], watch })
    samples.push(takeSample(seats, (performance.now() - begunMs) / 1_000))
    mkdirSync(dirname(out), { recursive: true })
    writeFileSync(out, plot(chartsOf(samples)))
    const kept = violations.length === 0
    const requests = sightings.length
    print(json ? { json: true } : {}, { kept, minutes, seed, requests, records, plot: out, violations }, [
      `${requests} requests, ${records} records in ${minutes} min; drawn into ${out}.`,
      ...violations.map(({ check, detail }) => `VIOLATION, ${check}: ${detail}`),
      kept ? 'Everything agrees.' : 'NOT EVERYTHING AGREES.',
    ])
    return kept ? 0 : 1
  } finally {
    await world.stop()
  }
}

/** Throws a `TypeError` for an option that is not there. */
function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string', default: '10' },
      seed: { type: 'string', default: '1' },
      clients: { type: 'string', default: '24' },
      out: { type: 'string', default: '.data/soak.svg' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  }).values
}
