import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Topic } from './topic.ts'

/** Where the topics are: a file each, or a folder of files where one would be too long. */
const SCENARIOS = join(import.meta.dirname, '..', 'scenarios')

/** A topic and its file, as a path below the folder of the topics; undefined for a file that exports none. */
export type TopicFile = readonly [file: string, topic: Topic | undefined]

/** Reads every topic below a folder. The suite as a package has them in itself, in this file's place (pack/). */
export async function readTopics(folder = SCENARIOS): Promise<readonly TopicFile[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => file.endsWith('.ts'))
  return await Promise.all(files.map(async (file): Promise<TopicFile> => [file, await load(folder, file)]))
}

async function load(folder: string, file: string): Promise<Topic | undefined> {
  return ((await import(pathToFileURL(join(folder, file)).href)) as { default?: Topic }).default
}
