import { type Lock, partsOf } from './lock.ts'

/** A lock that follows the scenarios there are, or why it cannot. */
export type Update = { readonly lock: Lock } | { readonly problems: readonly string[] }

/** Adds scenarios that are new under the coming version. What went without a word is a problem, and so is what came again. */
export function updateLock({ version, scenarios, retired }: Lock, ids: readonly string[]): Update {
  const known = new Set(ids)
  const after = Object.fromEntries(ids.toSorted().map((id) => [id, scenarios[id] ?? version]))
  const vanished = Object.keys(scenarios).filter((id) => !known.has(id) && retired[id] === undefined)
  const problems = [
    ...vanished.map(
      (id) =>
        `${id} is no more: an id that others may have written down does not vanish.\n  Move its line to "retired": "${id}": { "in": "${version}", "by": "the one in its place" }`,
    ),
    ...Object.keys(retired)
      .filter((id) => known.has(id))
      .map((id) => `${id} was retired, and no other scenario may have its id`),
    ...Object.entries(retired)
      .filter(([, { by }]) => by !== undefined && !known.has(by) && retired[by] === undefined)
      .map(([id, { by }]) => `${id} was retired for ${by}, which there is not`),
    ...[...Object.entries(after), ...Object.entries(retired).map(([id, one]) => [id, one.in] as const)]
      .filter(([, one]) => isLater(one, version))
      .map(([id, one]) => `${id} names version ${one}, and the suite's is ${version}`),
  ]
  return problems.length > 0 ? { problems } : { lock: { version, scenarios: after, retired } }
}

function isLater(one: string, other: string): boolean {
  const [parts, others] = [partsOf(one), partsOf(other)]
  const index = parts.findIndex((part, at) => part !== others[at])
  return index >= 0 && parts[index]! > others[index]!
}
