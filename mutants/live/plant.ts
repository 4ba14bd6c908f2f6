import type { LiveFault } from './fault.ts'
import { isPlain } from './plain.ts'

/** Where a fault stands in its file. */
interface Place {
  readonly fault: LiveFault
  readonly start: number
  readonly end: number
}

/** A fault that cannot be planted as it is written; the message names it. */
class PlantingError extends Error {
  override readonly name = 'PlantingError'
}

/** A source with each of these faults in it, every one behind its switch. Throws `PlantingError`. */
export function plant(source: string, faults: readonly LiveFault[]): string {
  const places = faults
    .map((fault) => placeOf(fault, source))
    // Whoever surrounds others comes first.
    .sort((one, other) => one.start - other.start || other.end - one.end)
  return write(source, 0, source.length, places)
}

/** Writes a part of the source; faults that stand within another one are planted in what that leaves as it was. */
function write(source: string, start: number, end: number, places: readonly Place[]): string {
  let written = ''
  let at = start
  let rest = places
  for (let outer = rest[0]; outer !== undefined; outer = rest[0]) {
    const { fault } = outer
    const inside = rest.slice(1).filter((one) => one.start < outer.end)
    const astride = inside.find((one) => one.end > outer.end)
    if (astride) throw new PlantingError(`${fault.id} and ${astride.fault.id} stand half in each other`)
    written += source.slice(at, outer.start)
    written += switched(fault, write(source, outer.start, outer.end, inside))
    at = outer.end
    rest = rest.slice(1 + inside.length)
  }
  return written + source.slice(at, end)
}

/**
 * Source that asks its switch which of the two it is. It asks as seldom as it can: whoever has not asked while a scenario
 * ran need not be tried with it.
 */
function switched(fault: LiveFault, original: string): string {
  const { id, file, find, replace, as = 'expression', when } = fault
  if (file.endsWith('.sql')) {
    if (as === 'statement')
      return `if planted_fault_is('${id}') then ${replace || 'null;'} else ${original} end if;`
    const differs = `(${find}) is distinct from (${replace})`
    return `(case when ${differs} and planted_fault_is('${id}') then ${replace} else ${original} end)`
  }
  const isLive = `${when === undefined ? '' : `(${when}) && `}plantedFaultIs('${id}')`
  if (as === 'statement') return `if (${isLive}) { ${replace} } else { ${original} }`
  if (as === 'expression') {
    if (when === undefined && isPlain(find) && isPlain(replace))
      return `plantedEither('${id}', () => (${original}), () => (${replace}))`
    return `(${isLive} ? (${replace}) : (${original}))`
  }
  const tag = as.slice('sql:'.length)
  return `\${${isLive} ? ${tag}\`${replace}\` : ${tag}\`${original}\`}`
}

function placeOf(fault: LiveFault, source: string): Place {
  const { id, find, within } = fault
  const around = within === undefined ? 0 : once(source, within, id)
  const start = around + once(within ?? source, find, id)
  if (isStatement(fault, source.slice(0, start)))
    throw new PlantingError(`${id}: this begins a statement, say so: ${find}`)
  return { fault, start, end: start + find.length }
}

function once(text: string, wanted: string, id: string): number {
  const at = text.indexOf(wanted)
  if (at === -1) throw new PlantingError(`${id}: this does not stand there: ${wanted}`)
  if (text.indexOf(wanted, at + 1) !== -1)
    throw new PlantingError(`${id}: this stands there twice: ${wanted}`)
  return at
}

/** Whether an expression begins a line that no line before leads on to: a parenthesis there would call what stands above. */
function isStatement({ file, as = 'expression' }: LiveFault, before: string): boolean {
  return as === 'expression' && file.endsWith('.ts') && /[\w)\]}'"`]\s*\n\s*$/.test(before)
}
