import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

/** The files of a folder by their path in it. */
export type Tree = ReadonlyMap<string, Buffer>

/** How a folder differs from what it should hold; paths in it, in order. */
export interface Difference {
  readonly missing: readonly string[]
  readonly changed: readonly string[]
  readonly unexpected: readonly string[]
}

/** Reads every file of a folder; a folder that is not there is empty. */
export async function readTree(folder: string): Promise<Tree> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(absent)
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths.sort().map(async (path) => [portable(relative(folder, path)), await readFile(path)] as const),
  )
  return new Map(files)
}

/** Compares byte by byte. */
export function compareTrees(expected: Tree, found: Tree): Difference {
  return {
    missing: [...expected.keys()].filter((path) => !found.has(path)),
    changed: [...expected]
      .filter(([path, bytes]) => found.get(path)?.equals(bytes) === false)
      .map(([path]) => path),
    unexpected: [...found.keys()].filter((path) => !expected.has(path)),
  }
}

/** Makes a folder hold exactly these files, and leaves alone those that are right already. */
export async function writeTree(folder: string, tree: Tree): Promise<Difference> {
  const difference = compareTrees(tree, await readTree(folder))
  for (const path of [...difference.missing, ...difference.changed]) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), tree.get(path)!)
  }
  for (const path of difference.unexpected) await rm(join(folder, path))
  return difference
}

/** Writes one generated file, if that changes it, and tells so; `name` is its path for people. */
export async function writeAndTell(path: string, text: string, name: string): Promise<boolean> {
  const before = await readFile(path, 'utf8').catch(() => undefined)
  if (before === text) return false
  await writeFile(path, text)
  console.log(`  ${before === undefined ? 'new    ' : 'changed'}  ${name}`)
  return true
}

/** Tells what `writeTree` did to a folder, a line for each file; `name` is its path for people. */
export function tellDifference(name: string, { missing, changed, unexpected }: Difference): void {
  for (const path of missing) console.log(`  new      ${name}/${path}`)
  for (const path of changed) console.log(`  changed  ${name}/${path}`)
  for (const path of unexpected) console.log(`  removed  ${name}/${path}`)
}

function absent(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return []
  throw error
}

function portable(path: string): string {
  return path.replaceAll('\\', '/')
}
