// @ts-check
import { resolvePath } from '@typespec/compiler'

/**
 * @typedef {{ readonly of: (rule: string) => readonly string[] }} Vectors
 * @typedef {{ readonly vectors: readonly { readonly id: string, readonly rules: readonly string[] }[] }} VectorFile
 */

/**
 * The vectors for verifiers by the rules they count for.
 * @param {import('@typespec/compiler').EmitContext} context
 * @returns {Promise<Vectors>} the ids of each rule's vectors, in the order of the files and within each
 */
export async function readVectors({ program: { host }, options }) {
  const folder = options['vector-folder']
  const names = folder ? (await host.readDir(folder)).filter((name) => name.endsWith('.json')).sort() : []
  const files = await Promise.all(
    names.map(async (name) => {
      /** @type {VectorFile} */
      const file = JSON.parse((await host.readFile(resolvePath(folder, name))).text)
      return file
    }),
  )
  const vectors = files.flatMap((file) => file.vectors)
  return { of: (rule) => vectors.filter(({ rules }) => rules.includes(rule)).map(({ id }) => id) }
}
