import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, startLoad } from './load.ts'
import { type How, hows, type Rotation, rotations } from './rotation.ts'
import type { World } from './world.ts'

/** How a rotation went. */
export interface Cell {
  readonly rotation: string
  readonly how: How
  readonly requests: number
  readonly ok: number
  /** 503 `attesting`. */
  readonly attesting: number
  /** 503 `tls-fingerprint`; must be 0, as requests wait for the signature. */
  readonly fingerprint: number
  /** Every other answer, and none; must be 0. */
  readonly other: number
  /** Streams that did not come to their proper end; must be 0. */
  readonly broken: number
  /** Longest wait for an answer. */
  readonly slowestMs: number
  /** Checks of the evidence that passed meanwhile. */
  readonly passed: number
  /** Checks that did not pass, as a split platform makes them. */
  readonly failed: number
  /** Requests that the model got more than once, or although they were refused; must be 0. */
  readonly sentWrongly: number
  /** Requests over a certificate that had not been verified; must be 0. */
  readonly unverified: number
  /** Whether the proxy has verified what the platform came to publish. */
  readonly noticed: boolean
}

/** What is run. */
export interface MatrixOptions {
  readonly clients: number
  /** How long each cell lasts. */
  readonly cellMs: number
  readonly only?: (rotation: Rotation, how: How) => boolean
  readonly onCell?: (cell: Cell) => void
}

/** Of a cell's time, how much comes before the rotation. */
const BEFORE = 0.25

/** How long a rotation may go unnoticed under load, and how often it is looked for. */
const NOTICE_MS = 10_000
const LOOK_MS = 20

/** Runs every rotation under load, atomic and split for as long as each `How` says, through one proxy that is never restarted. */
export async function runMatrix(world: World, options: MatrixOptions): Promise<Cell[]> {
  const { clients, cellMs, only = () => true, onCell = () => {} } = options
  const cells: Cell[] = []
  for (const rotation of rotations) {
    for (const how of hows) {
      if (!only(rotation, how)) continue
      const cell = await runCell(world, rotation, how, clients, cellMs)
      cells.push(cell)
      onCell(cell)
    }
  }
  return cells
}

async function runCell(
  world: World,
  rotation: Rotation,
  how: How,
  clients: number,
  cellMs: number,
): Promise<Cell> {
  await refresh(world)
  const before = await world.status()
  const load = startLoad(world, clients, `${rotation.name}/${how}`)
  await sleep(cellMs * BEFORE)
  const early = await rotation.turn(world, how)
  await sleep(cellMs * (1 - BEFORE))
  const noticed = await isNoticed(world)
  const answers = await load.stop()
  const after = await world.status()
  return {
    rotation: rotation.name,
    how,
    ...countsOf(answers),
    passed: after.passed - before.passed,
    failed: after.failed - before.failed,
    sentWrongly: answers.filter((answer) => isSentWrongly(answer, world)).length,
    unverified: early + (await countUnverified(world, after.admitted)),
    noticed,
  }
}

/** The gateway shows a new certificate, so that the proxy knows its newest signature before the cell begins. */
async function refresh(world: World): Promise<void> {
  await world.current.control('/rotate/leaf')
  const load = startLoad(world, 1, `refresh/${performance.now()}`)
  const isKnown = await isNoticed(world)
  await load.stop()
  if (!isKnown) throw new Error('The proxy has not noticed a rotation, with nothing else going on.')
}

/** Whether the proxy has come to know what the platform publishes; connections of before may last a little. */
async function isNoticed({ current, status }: World): Promise<boolean> {
  const { digest, fingerprint } = await current.state()
  const latest = performance.now() + NOTICE_MS
  for (;;) {
    const says = await status()
    if (says.digest === digest && says.admitted.has(fingerprint)) return true
    if (performance.now() > latest) return false
    await sleep(LOOK_MS)
  }
}

function countsOf(
  answers: readonly Answer[],
): Pick<Cell, 'requests' | 'ok' | 'attesting' | 'fingerprint' | 'other' | 'broken' | 'slowestMs'> {
  const refusedAt = (stage: string) =>
    answers.filter((answer) => answer.status === 503 && answer.stage === stage).length
  const ok = answers.filter(({ status }) => status === 200)
  const [attesting, fingerprint] = [refusedAt('attesting'), refusedAt('tls-fingerprint')]
  return {
    requests: answers.length,
    ok: ok.length,
    attesting,
    fingerprint,
    other: answers.length - ok.length - attesting - fingerprint,
    broken: ok.filter(({ isWhole }) => !isWhole).length,
    slowestMs: Math.ceil(Math.max(0, ...answers.map(({ waitMs }) => waitMs))),
  }
}

/** What was answered was sent once, what was refused was not sent. */
function isSentWrongly({ status, prompt }: Answer, { backend }: World): boolean {
  return backend.timesOf(prompt) !== (status === 200 ? 1 : 0)
}

/** Requests over certificates that the proxy never admitted. */
async function countUnverified({ platforms }: World, admitted: ReadonlySet<string>): Promise<number> {
  const states = await Promise.all(platforms.map((platform) => platform.state()))
  const counts = states.flatMap(({ forwarded }) => Object.entries(forwarded))
  return counts.filter(([leaf]) => !admitted.has(leaf)).reduce((sum, [, count]) => sum + count, 0)
}
