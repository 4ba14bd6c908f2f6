import type { StartFailure } from './failure.ts'
import { type ChosenPort, type PortName, withPorts } from './ports.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import type { ProcessId } from './processes.ts'
import type { Story } from './story.ts'
import { type Part, type SupervisorEvents, supervise } from './supervisor.ts'

/** One thing to stop. */
export interface UndoStep {
  readonly name: string
  readonly stop: () => Promise<void>
}

/** What the crew works with. */
export interface CrewOptions {
  readonly story: Story
  readonly signal: AbortSignal
  /** What to stop at the end, the last first. */
  readonly undo: UndoStep[]
  /** A process was replaced by another one. */
  readonly onChange: (children: readonly ProcessId[]) => void
  readonly onGiveUp: (failure: StartFailure) => void
}

/** Starts the parts of a stack and keeps them running. */
export interface Crew {
  startDatabase(dataDir: string, wanted: number, mayStop: (adopted: boolean) => boolean): Promise<Postgres>
  startPart<Name extends PortName>(
    title: string,
    wanted: Readonly<Record<Name, number>>,
    part: (ports: Readonly<Record<Name, ChosenPort>>) => Part,
  ): Promise<Readonly<Record<Name, ChosenPort>>>
  pidOf(name: Part['name']): number | undefined
}

/** Gathers a crew with nothing to do yet. */
export function createCrew({ story, signal, undo, onChange, onGiveUp }: CrewOptions): Crew {
  const children = new Map<Part['name'], ProcessId>()
  const tellChange = (): void => onChange([...children.values()])
  const events: SupervisorEvents = {
    onChild({ name }, id) {
      children.set(name, id)
      tellChange()
    },
    onDeath: ({ title }, cause) => story.warn(`${title} has died (${cause}); starting it again.`),
    onReturn: ({ title }) => story.say(`${title} is back.`),
    onGiveUp,
  }
  const databaseEvents = {
    onReturn() {
      story.warn('PostgreSQL had died; it is back.')
      tellChange()
    },
    onTrouble: (problem: string) => story.warn(problem),
    onGiveUp,
  }

  return {
    async startDatabase(dataDir, wanted, mayStop) {
      const start = (): Promise<Postgres> =>
        withPorts({ postgres: wanted }, ({ postgres }) =>
          startPostgres(dataDir, postgres.port, databaseEvents),
        )
      const postgres = await story.step('PostgreSQL', start, {
        word: 'ready',
        remark: ({ url, adopted }) =>
          addressOf({ port: Number(new URL(url).port), wanted }) + (adopted ? ', running already' : ''),
      })
      undo.push(
        mayStop(postgres.adopted)
          ? { name: 'PostgreSQL', stop: () => postgres.stop() }
          : { name: 'Supervision', stop: () => postgres.unwatch() },
      )
      signal.throwIfAborted()
      return postgres
    },
    async startPart(title, wanted, part) {
      const start = () =>
        withPorts(wanted, async (ports) => ({ ports, supervised: await supervise(part(ports), events) }))
      const { ports, supervised } = await story.step(title, start, {
        word: 'ready',
        remark: ({ ports }) => Object.values<ChosenPort>(ports).map(addressOf).join(', control '),
      })
      undo.push({ name: title, stop: () => supervised.stop() })
      signal.throwIfAborted()
      return ports
    },
    pidOf: (name) => children.get(name)?.pid,
  }
}

function addressOf({ port, wanted }: ChosenPort): string {
  return `127.0.0.1:${port}${port === wanted ? '' : ` (${wanted} is taken)`}`
}
