import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { LineCounter, parseAllDocuments } from 'yaml'
import type { ConfigProblem } from '../../config/error.ts'

/** A value of a file, and where it stands. */
export interface Rendered {
  readonly path: string
  readonly value: unknown
}

/** What was found in a folder. */
export interface Folder {
  readonly rendered: readonly Rendered[]
  readonly problems: readonly ConfigProblem[]
}

const RENDERED_FILE = /\.(ya?ml|json)$/

/** Of editors and of volumes that are mounted: what a volume links to lies in such a folder, too. */
const HIDDEN = /(^|[/\\])\./

/**
 * Reads every YAML and JSON file of a folder and of those in it, but for hidden ones. Nothing is replaced in them:
 * what is rendered is final, and a `${VAR}` in it is for somebody else.
 */
export function readFolder(folder: string): Folder {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => RENDERED_FILE.test(name) && !HIDDEN.test(name))
      .filter((name) => statSync(join(folder, name)).isFile())
      .sort()
    const files = names.map((name) => readRendered(join(folder, name), name))
    if (files.length === 0) return nothing(folder, 'holds no YAML or JSON file')
    return {
      rendered: files.flatMap(({ rendered }) => rendered),
      problems: files.flatMap(({ problems }) => problems),
    }
  } catch (cause) {
    return nothing(folder, `cannot be read (${(cause as Error).message})`)
  }
}

function readRendered(file: string, name: string): Folder {
  const lines = new LineCounter()
  // Whoever applies these files merges (`<<`), though YAML 1.2 does not: what is published is what runs.
  const options = { lineCounter: lines, uniqueKeys: true, prettyErrors: false, merge: true }
  const documents = [...parseAllDocuments(readFileSync(file, 'utf8'), options)]
  const problems = documents.flatMap(({ errors }) =>
    errors.map(({ pos, message }) => ({ path: `${name} line ${lines.linePos(pos[0]).line}`, message })),
  )
  if (problems.length > 0) return { rendered: [], problems }
  const values = documents.map((document) => document.toJS() as unknown)
  return {
    rendered: values.filter((value) => value !== null).map((value) => ({ path: name, value })),
    problems,
  }
}

function nothing(path: string, message: string): Folder {
  return { rendered: [], problems: [{ path, message }] }
}
