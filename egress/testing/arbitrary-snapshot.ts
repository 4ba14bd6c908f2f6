import fc from 'fast-check'
import type { Json } from '#attestation'

/** Names that are like numbers, special to objects, or alike. */
const name = fc.constantFrom('name', 'image', 'a', 'b', '0', '1', '10', '__proto__', 'constructor', '', 'a.b')
const scalar = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, -0, 1, 1e21, '', 'a', 'b', 'a\nb', 'b\na\nb', '1'),
  fc.string(),
)

/** Documents as small as those that hold a surprise are: lists of lists, items of one name, objects with a prototype's names. */
const arbitraryJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 6 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }).map(objectOf),
  ),
})).value

/** A resource as platforms render it, whose names are few, so that many are alike. */
const resource: fc.Arbitrary<Json> = fc
  .record({
    apiVersion: fc.constantFrom('v1', 'apps/v1'),
    kind: fc.constantFrom('ConfigMap', 'Deployment'),
    metadata: fc.record({ name: fc.constantFrom('one', 'two'), namespace: fc.constantFrom('a', 'b') }),
    spec: arbitraryJson,
  })
  .map((members): Json => members)

const snapshot: fc.Arbitrary<Json> = fc
  .record({
    version: fc.constantFrom(2, 3),
    resources: fc.array(fc.oneof(resource, arbitraryJson), { maxLength: 6 }),
  })
  .map((members): Json => members)

/** Two snapshots: unlike, or the second made of the first by putting lists into another order and leaving things out. */
export const snapshotPair: fc.Arbitrary<readonly [Json, Json]> = fc.oneof(
  fc.tuple(arbitraryJson, arbitraryJson),
  fc.tuple(snapshot, snapshot),
  fc
    .tuple(snapshot, fc.infiniteStream(fc.nat(11)))
    .map(([before, choices]): readonly [Json, Json] => [before, changed(before, choices)]),
)

function changed(value: Json, choices: Iterator<number>): Json {
  const choice = Number(choices.next().value)
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => changed(item, choices))
    if (choice < 3) return items.toReversed()
    if (choice < 5) return items.slice(1)
    if (choice < 7) return [...items.slice(1), ...items.slice(0, 1)]
    return choice < 8 ? [...items, ...items] : items
  }
  if (typeof value !== 'object' || value === null) return choice === 0 ? 'changed' : value
  const members = Object.entries(value) as [string, Json][]
  const kept = choice < 2 ? members.slice(1) : members.toReversed()
  return objectOf(kept.map(([member, part]) => [member, changed(part, choices)]))
}

/** As the strict reader makes them: without a prototype. */
function objectOf(members: readonly (readonly [string, Json])[]): Json {
  const object: Record<string, Json> = Object.create(null)
  for (const [member, value] of members) object[member] = value
  return object
}
