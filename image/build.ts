import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { billOfMaterials } from './bom.ts'
import { layOutDebian } from './debian.ts'
import { type Layer, writeLayer } from './layer.ts'
import { writeLayout } from './layout.ts'
import { layOutPackages } from './packages.ts'
import { processOf } from './process.ts'
import { provenanceOf } from './provenance.ts'
import { layOutSources, originOf } from './sources.ts'

/** What was built, and where it lies. */
export interface Built {
  readonly commit: string
  /** The digest of the image's manifest. */
  readonly digest: string
  readonly layout: string
  readonly bom: string
  readonly provenance: string
}

/**
 * Builds the image of the commit that is checked out into a folder: `oci/`, the layout; `bom.json`, what is in it;
 * `provenance.json`, what it was made of. Debian's packages are kept beside them.
 */
export async function buildImage(out: string, debs: string, say: (line: string) => void): Promise<Built> {
  const origin = originOf()
  const work = mkdtempSync(join(tmpdir(), 'image-'))
  const roots = { debian: join(work, 'debian'), node: join(work, 'node'), product: join(work, 'product') }
  const workspace = join(work, 'npm')
  const app = join(roots.product, 'app')
  try {
    for (const folder of [out, ...Object.values(roots)]) mkdirSync(folder, { recursive: true })
    say('Debian’s packages, by their hashes')
    layOutDebian(roots.debian, debs)
    say('packages of npm, by the lockfile')
    layOutPackages(roots.node, app, workspace, origin)
    say('sources and the console’s page')
    await layOutSources(app, origin)
    const bom = join(out, 'bom.json')
    writeJson(bom, billOfMaterials(workspace, app, origin))
    const layers: Layer[] = []
    for (const [name, root] of Object.entries(roots)) {
      say(`layer ${name}`)
      layers.push(await writeLayer(root, join(work, `${name}.tar`), origin.at))
    }
    const layout = join(out, 'oci')
    const digest = writeLayout(layout, layers, processOf(origin), origin.at)
    const provenance = join(out, 'provenance.json')
    writeJson(
      provenance,
      provenanceOf(digest, origin, readFileSync(join(workspace, 'package-lock.json'), 'utf8')),
    )
    return { commit: origin.commit, digest, layout, bom, provenance }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function writeJson(file: string, document: object): void {
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`)
}
