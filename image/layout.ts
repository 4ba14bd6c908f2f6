import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Layer } from './layer.ts'

/** What a program in the image is started with, as OCI's image configuration has it. */
export interface Process {
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly User: string
  readonly WorkingDir: string
  readonly ExposedPorts: Readonly<Record<string, object>>
  readonly Labels: Readonly<Record<string, string>>
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'

/**
 * Writes an image as a folder that OCI's tools read (image-layout 1.0.0).
 *
 * @returns the digest of its manifest: what a deployment names, `sha256:` and 64 hexadecimal digits.
 */
export function writeLayout(folder: string, layers: readonly Layer[], config: Process, at: Date): string {
  rmSync(folder, { recursive: true, force: true })
  const blobs = join(folder, 'blobs', 'sha256')
  mkdirSync(blobs, { recursive: true })
  for (const { file, digest } of layers) renameSync(file, join(blobs, digest.slice('sha256:'.length)))
  const described = blob(blobs, {
    created: at.toISOString(),
    architecture: 'amd64',
    os: 'linux',
    config,
    // An archive that is not compressed is its own diff.
    rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) },
  })
  const manifest = blob(blobs, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...described },
    layers: layers.map(({ digest, size }) => ({
      mediaType: 'application/vnd.oci.image.layer.v1.tar',
      digest,
      size,
    })),
  })
  const named = { 'org.opencontainers.image.ref.name': config.Labels['org.opencontainers.image.version'] }
  const index = { schemaVersion: 2, manifests: [{ mediaType: MANIFEST, ...manifest, annotations: named }] }
  writeFileSync(join(folder, 'index.json'), JSON.stringify(index))
  writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  return manifest.digest
}

function blob(blobs: string, document: object): { digest: string; size: number } {
  const bytes = Buffer.from(JSON.stringify(document))
  const hex = createHash('sha256').update(bytes).digest('hex')
  writeFileSync(join(blobs, hex), bytes)
  return { digest: `sha256:${hex}`, size: bytes.length }
}
