import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Vector, VectorFile, VectorPiece, VerifierRequest } from '#contract/models'
import { stages } from '#contract/reasons'
import { isVectorFile } from '#contract/validators/vector-file'

/** Where the vectors are committed, a file for each stage. */
export const CORPUS = join(import.meta.dirname, 'corpus')

/** The stages that a bundle is judged in, in their order. */
export const judgedStages = stages.filter((stage) => stage !== 'attesting') as readonly VectorFile['stage'][]

/** Reads all vectors, in the order of the stages. */
export function readCorpus(): readonly Vector[] {
  return judgedStages.flatMap((stage) => readFile(`${stage}.json`).vectors)
}

/** What a verifier is sent for a vector. */
export function requestOf({ id, request: { bundle, ...asked } }: Vector): VerifierRequest {
  return { version: 1, id, bundle: bytesOf(bundle).toString('base64'), ...asked }
}

/** The bytes that pieces stand for. */
export function bytesOf(pieces: readonly VectorPiece[]): Buffer {
  return Buffer.concat(
    pieces.map(({ text = '', base64, times = 1 }) => {
      const piece = base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64')
      return Buffer.alloc(piece.length * times, piece)
    }),
  )
}

function readFile(name: string): VectorFile {
  const file: unknown = JSON.parse(readFileSync(join(CORPUS, name), 'utf8'))
  if (isVectorFile(file)) return file
  throw new Error(`${name} holds no vectors: ${JSON.stringify(isVectorFile.errors?.slice(0, 3))}`)
}
