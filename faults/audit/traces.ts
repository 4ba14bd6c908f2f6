import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '../world/world.ts'
import { type Violation, violationsOf } from './violation.ts'

/** Searches all that the stack has left behind for what must stand nowhere. */
export function checkTraces({
  database,
  folder,
  payers,
  proxy,
  platform,
  routers,
  secrets,
}: World): Violation[] {
  const files = [...new Set([...filesIn(database.home), ...filesIn(folder.path)])]
  const logs = [proxy, platform, ...routers].map(({ seat }) => ({
    place: `log of ${seat.name}`,
    text: seat.log(),
  }))
  // What must be there is found by the same search, so that it is known to see.
  const known = needlesOf(payers[0]!.workspaceId)
  const needles = secrets.map(needlesOf)
  const details: string[] = []
  let isSeeing = false
  const search = (place: string, bytes: Buffer): void => {
    isSeeing ||= known.some((needle) => bytes.includes(needle))
    for (const [index, forms] of needles.entries()) {
      if (forms.some((needle) => bytes.includes(needle)))
        details.push(`secret ${index} stands in the ${place}`)
    }
  }
  for (const file of files) search(`file ${file}`, read(file))
  for (const { place, text } of logs) search(place, Buffer.from(text))
  if (!isSeeing) details.push('the search finds not even what must be there')
  return violationsOf('traces', details)
}

/** A text as it is, in hex, and in base64 wherever within a longer text it stands. */
function needlesOf(text: string): Buffer[] {
  const shifted = [0, 1, 2].map((shift) => {
    const base64 = Buffer.from(' '.repeat(shift) + text).toString('base64')
    return base64.slice(shift === 0 ? 0 : 4, -4)
  })
  return [text, Buffer.from(text).toString('hex'), ...shifted].map((form) => Buffer.from(form))
}

function filesIn(path: string): string[] {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** PostgreSQL removes files while they are listed. */
function read(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}
