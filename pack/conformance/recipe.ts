import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { suiteVersion } from '../../conformance/lock/lock.ts'
import { type Recipe, ROOT } from '../recipe.ts'
import { bundle, OLDEST_NODE } from './bundle.ts'

/** The suite: one file that needs nothing but Node. It has a version of its own, which reports name. */
export const conformance: Recipe = {
  name: 'conformance',
  home: import.meta.dirname,
  async write(folder) {
    const within = await bundle(join(folder, 'conformance.js'))
    cpSync(join(ROOT, 'conformance', 'vectors', 'corpus'), join(folder, 'corpus'), { recursive: true })
    const description =
      'The specification as a program: shows whether a router, a proxy or a console keeps its rules.'
    const bin = { conformance: 'conformance.js' }
    return { manifest: { version: suiteVersion, description, bin, node: OLDEST_NODE }, within }
  },
}
