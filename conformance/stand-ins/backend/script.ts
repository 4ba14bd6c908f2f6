import type { Behaviour } from './behaviour.ts'

/** What the backend is asked for; `models` stands for every look-up, `tokenize` for counting a prompt. */
export const operations = ['chat', 'completions', 'embeddings', 'models', 'tokenize'] as const

export type Operation = (typeof operations)[number]

/** What `PUT /script` sets: the first rule that matches a request decides its answer. */
export interface Script {
  readonly rules?: readonly Rule[]
  /** Closes the model's listener, so that connections are refused, until a script says otherwise. */
  readonly refuseConnections?: boolean
}

/** A behaviour and the requests it is for; all conditions given must hold. */
export interface Rule extends Behaviour {
  /** Only for requests whose body says `[script:NAME]`. */
  readonly name?: string
  /** Only for this model. */
  readonly model?: string
  /** Only for requests whose body contains this text. */
  readonly marker?: string
  readonly operation?: Operation
  /** Serves so many requests, then is passed over. */
  readonly times?: number
}

/** What a rule is matched against. */
export interface Subject {
  readonly operation: Operation
  readonly model: string
  readonly body: string
}

/** Decides which rule answers a request, and counts what each has served. */
export interface Playbook {
  find(subject: Subject): Rule | undefined
  readonly script: Script
}

/** No rule is called what the prompt names. */
export class UnknownScript extends Error {}

/** Rules in the order given; those built in come last, so that a script may redefine them. */
export function createPlaybook(script: Script, builtIn: readonly Rule[]): Playbook {
  const served = new Map<Rule, number>()
  const rules = [...(script.rules ?? []), ...builtIn]

  function find(subject: Subject): Rule | undefined {
    const called = scriptNamed(subject.body)
    if (called !== undefined && !rules.some(({ name }) => name === called)) {
      throw new UnknownScript(`No script is called ${called}.`)
    }
    const rule = rules.find((each) => matches(each, subject, called) && hasTurnsLeft(each))
    if (rule) served.set(rule, (served.get(rule) ?? 0) + 1)
    return rule
  }

  function hasTurnsLeft(rule: Rule): boolean {
    return (served.get(rule) ?? 0) < (rule.times ?? Number.POSITIVE_INFINITY)
  }

  return { find, script }
}

function matches(rule: Rule, { operation, model, body }: Subject, called: string | undefined): boolean {
  return (
    rule.name === called &&
    (rule.model === undefined || rule.model === model) &&
    (rule.marker === undefined || body.includes(rule.marker)) &&
    (rule.operation === undefined ? generates(operation) : rule.operation === operation)
  )
}

function generates(operation: Operation): boolean {
  return operation !== 'models' && operation !== 'tokenize'
}

// The last one counts: earlier turns of a conversation may name other scripts.
function scriptNamed(body: string): string | undefined {
  return body
    .match(/\[script:[\w.-]+\]/g)
    ?.at(-1)
    ?.slice('[script:'.length, -1)
}
