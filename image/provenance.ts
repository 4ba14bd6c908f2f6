import { createHash } from 'node:crypto'
import { debianPackages, fileOf } from './debian.ts'
import type { Origin } from './sources.ts'

/**
 * Where an image comes from, as an in-toto statement with SLSA's provenance 1.0. It is not signed: whoever wants to
 * know builds the commit, and compares the digest.
 */
export function provenanceOf(digest: string, origin: Origin, lockfile: string): object {
  const materials = [
    { name: 'source', digest: { gitCommit: origin.commit } },
    { name: 'package-lock.json', digest: { sha256: createHash('sha256').update(lockfile).digest('hex') } },
    ...debianPackages.map((one) => ({ name: fileOf(one), digest: { sha256: one.sha256 } })),
  ]
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'confidential-inference-router', digest: { sha256: digest.slice('sha256:'.length) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm run image',
        externalParameters: { commit: origin.commit },
        resolvedDependencies: materials,
      },
      runDetails: { builder: { id: 'image/main.ts of the source' } },
    },
  }
}
