import type { StartFailure } from './failure.ts'
import { type ChosenPort, type PortName, withPorts } from './ports.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import type { ProcessId } from './processes.ts'
import type { Story } from './story.ts'
import { type Part, type Supervised, type SupervisorEvents, supervise } from './supervisor.ts'
import type { UndoStep } from './undo.ts'

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

/** Starts a part under a title and gives what it says once it serves; `beside` are its other ports, by their use. */
export type StartPart = (
  title: string,
  part: Part,
  port: ChosenPort,
  beside?: Readonly<Record<string, ChosenPort>>,
) => Promise<unknown>

/** Starts the parts of a stack and keeps them running. */
export interface Crew {
  startDatabase(dataDir: string, wanted: number, mayStop: (adopted: boolean) => boolean): Promise<Postgres>
  /**
   * Starts parts on ports that are chosen together, so that they can be told of each other's; all of them again, on
   * others, when somebody took a port at the last moment. Those that are started first are also stopped first.
   */
  startParts<Name extends PortName, Result>(
    wanted: Readonly<Record<Name, number>>,
    work: (start: StartPart, ports: Readonly<Record<Name, ChosenPort>>) => Promise<Result>,
  ): Promise<Result>
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
    startParts: (wanted, work) =>
      withPorts(wanted, async (ports) => {
        const first = undo.length
        const start: StartPart = async (title, part, port, beside = {}) => {
          const supervised = await story.step(title, () => supervise(part, events), {
            word: 'ready',
            remark: () =>
              [
                addressOf(port),
                ...Object.entries(beside).map(([use, other]) => `${use} ${addressOf(other)}`),
              ].join(', '),
          })
          undo.splice(first, 0, undoOf(title, part, supervised))
          signal.throwIfAborted()
          return supervised.document
        }
        try {
          return await work(start, ports)
        } catch (error) {
          for (const { stop } of undo.splice(first).reverse()) await stop()
          throw error
        }
      }),
    pidOf: (name) => children.get(name)?.pid,
  }
}

// Only the router can end a running answer well: those in front of it are asked together with it and wait for that.
function undoOf(title: string, { carriesAnswers }: Part, supervised: Supervised): UndoStep {
  const step = { name: title, stop: () => supervised.stop() }
  return carriesAnswers ? { ...step, ask: () => void supervised.stop() } : step
}

function addressOf({ port, wanted }: ChosenPort): string {
  return `127.0.0.1:${port}${port === wanted ? '' : ` (${wanted} is taken)`}`
}
