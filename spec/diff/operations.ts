import {
  type Breakage,
  canonical,
  entriesOf,
  type Json,
  type JsonObject,
  membersOf,
  type Pair,
  resolve,
} from './document.ts'
import type { Direction } from './restrictions.ts'
import { compareSchemas } from './schemas.ts'

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const

/** What the current document breaks of the released one: anything but additions (VERS-02). */
export function compareDocuments(pair: Pair): readonly Breakage[] {
  const { released, current } = pair
  const now = membersOf(current.paths)
  return [
    ...same('the document', released, current, ['servers', 'security']),
    ...same('the document', membersOf(released.components), membersOf(current.components), [
      'securitySchemes',
    ]),
    ...Object.entries(membersOf(released.paths)).flatMap(([path, item]) =>
      now[path] === undefined
        ? [{ place: path, message: 'is gone' }]
        : comparePaths(path, membersOf(item), membersOf(now[path]), pair),
    ),
  ]
}

function comparePaths(path: string, before: JsonObject, after: JsonObject, pair: Pair): Breakage[] {
  return [
    ...same(path, before, after, ['servers']),
    ...methods.flatMap((method) => {
      const place = `${method.toUpperCase()} ${path}`
      if (before[method] === undefined) return []
      if (after[method] === undefined) return [{ place, message: 'is gone' }]
      return compareOperations(place, membersOf(before[method]), membersOf(after[method]), pair)
    }),
  ]
}

function compareOperations(place: string, before: JsonObject, after: JsonObject, pair: Pair): Breakage[] {
  return [
    ...same(place, before, after, ['operationId', 'security', 'servers']),
    ...compareParameters(place, before.parameters, after.parameters, pair),
    ...compareBodies(`${place}, body`, before.requestBody, after.requestBody, pair),
    ...compareResponses(place, membersOf(before.responses), membersOf(after.responses), pair),
  ]
}

function compareParameters(
  place: string,
  before: Json | undefined,
  after: Json | undefined,
  pair: Pair,
): Breakage[] {
  const byName = (list: Json | undefined, root: JsonObject) =>
    new Map(
      entriesOf(list).map((one) => {
        const parameter = resolve(one, root)
        return [`${parameter.in} parameter ${parameter.name}`, parameter]
      }),
    )
  const [old, now] = [byName(before, pair.released), byName(after, pair.current)]
  const come = [...now].filter(
    ([name, { required }]) => required === true && old.get(name)?.required !== true,
  )
  return [
    ...[...old].flatMap(([name, parameter]): readonly Breakage[] => {
      const at = `${place}, ${name}`
      const successor = now.get(name)
      if (successor === undefined) return [{ place: at, message: 'is gone' }]
      return compareSchemas(at, parameter.schema, successor.schema, 'request', pair)
    }),
    ...come.map(([name]) => ({ place: `${place}, ${name}`, message: 'is required now' })),
  ]
}

function compareBodies(
  place: string,
  before: Json | undefined,
  after: Json | undefined,
  pair: Pair,
): Breakage[] {
  const [old, now] = [resolve(before, pair.released), resolve(after, pair.current)]
  const isRequired = now.required === true && old.required !== true
  return [
    ...(isRequired ? [{ place, message: 'is required now' }] : []),
    ...compareContents(place, old.content, now.content, 'request', pair),
  ]
}

function compareResponses(place: string, before: JsonObject, after: JsonObject, pair: Pair): Breakage[] {
  return Object.entries(before).flatMap(([status, response]) => {
    const at = `${place}, ${status}`
    if (after[status] === undefined) return [{ place: at, message: 'is gone' }]
    const [old, now] = [resolve(response, pair.released), resolve(after[status], pair.current)]
    return [
      ...compareHeaders(at, membersOf(old.headers), membersOf(now.headers), pair),
      ...compareContents(at, old.content, now.content, 'response', pair),
    ]
  })
}

function compareHeaders(place: string, before: JsonObject, after: JsonObject, pair: Pair): Breakage[] {
  return Object.entries(before).flatMap(([name, header]): readonly Breakage[] => {
    const at = `${place}, header ${name}`
    if (after[name] === undefined) return [{ place: at, message: 'is gone' }]
    const [old, now] = [resolve(header, pair.released), resolve(after[name], pair.current)]
    const mayLack = old.required === true && now.required !== true
    return [
      ...(mayLack ? [{ place: at, message: 'may be absent now' }] : []),
      ...compareSchemas(at, old.schema, now.schema, 'response', pair),
    ]
  })
}

function compareContents(
  place: string,
  before: Json | undefined,
  after: Json | undefined,
  direction: Direction,
  pair: Pair,
): Breakage[] {
  const now = membersOf(after)
  return Object.entries(membersOf(before)).flatMap(([type, media]) => {
    if (now[type] === undefined) return [{ place: `${place} ${type}`, message: 'is gone' }]
    const [old, successor] = [membersOf(media), membersOf(now[type])]
    const at = direction === 'request' ? place : `${place} ${type}`
    return [
      ...compareSchemas(at, old.schema, successor.schema, direction, pair),
      // What the data of each event is (the stream itself is only a string to OpenAPI 3.1).
      ...compareSchemas(`${at}, event`, old['x-event-schema'], successor['x-event-schema'], direction, pair),
    ]
  })
}

/** Members that must stay as they are. */
function same(place: string, before: JsonObject, after: JsonObject, names: readonly string[]): Breakage[] {
  return names
    .filter((name) => canonical(before[name]) !== canonical(after[name]))
    .map((name) => ({
      place,
      message: `changed ${name} from ${canonical(before[name])} to ${canonical(after[name])}`,
    }))
}
