import { bodyFor, type Script } from '../wire/prompts.ts'
import type { Measure } from './measure.ts'
import { takeTurn, type Unit } from './turn.ts'

/** Streams of one kind, so many at a time. */
interface Kind extends Script {
  readonly id: string
  readonly title: string
  readonly clients: number
  readonly isQuick: boolean
  readonly unit: Unit
  /** Over how long they begin; one pace unless given, so that chunks come evenly and not all in the same millisecond. */
  readonly withinMs?: number
  /** Of whom it is measured; of everybody unless given. */
  readonly of?: readonly string[]
}

const kinds: readonly Kind[] = [
  {
    id: 'chunks-unpaced',
    title: '16 streams of 100 chunks as fast as they go',
    clients: 16,
    chunks: 100,
    everyMs: 0,
    isQuick: false,
    unit: 'chunks',
  },
  {
    id: 'chunks-long',
    title: '16 streams of 1,000 chunks as fast as they go',
    clients: 16,
    chunks: 1_000,
    everyMs: 0,
    isQuick: false,
    unit: 'chunks',
    of: ['forwarder', 'router'],
  },
  {
    id: 'chunks-paced',
    title: '100 streams, each a chunk every 20 ms',
    clients: 100,
    chunks: 100,
    everyMs: 20,
    isQuick: true,
    unit: 'chunks',
  },
  {
    id: 'first-1',
    title: 'streams of 5 chunks, 1 client',
    clients: 1,
    chunks: 5,
    everyMs: 0,
    isQuick: true,
    unit: 'requests',
  },
  {
    id: 'first-16',
    title: 'streams of 5 chunks, one every 10 ms, 16 clients',
    clients: 16,
    chunks: 5,
    everyMs: 10,
    isQuick: false,
    unit: 'requests',
  },
  {
    id: 'crowd',
    title: '5,000 streams, each a chunk every 8 s for 24 s, 208 begun a second',
    clients: 5_000,
    chunks: 3,
    everyMs: 8_000,
    isQuick: false,
    unit: 'chunks',
    withinMs: 24_000,
    of: ['forwarder', 'router', 'verified'],
  },
]

/** Chunks a second and what each costs, how late they are, and the time to the first byte. */
export const streams: readonly Measure[] = kinds.map(
  ({ id, title, clients, isQuick, unit, withinMs, of, ...script }) => ({
    id,
    title,
    isQuick,
    fits: ({ name }) => of?.includes(name) !== false,
    take: ({ running }, tools) =>
      takeTurn(
        tools,
        running,
        {
          body: bodyFor(running.target.model, script),
          clients,
          withinMs: withinMs ?? script.everyMs,
          isChurn: false,
        },
        unit,
      ),
  }),
)
