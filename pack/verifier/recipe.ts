import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { bundleLibrary } from '../bundle.ts'
import { declaredImports, typesOf, writeDeclarations } from '../declarations.ts'
import { PROJECT_NODE, type Recipe, ROOT } from '../recipe.ts'

const ENTRY = 'pack/verifier/index.ts'
const BROWSER = join(import.meta.dirname, 'browser')

/** Has a page refuse where hardware is demanded. */
const withoutHardware: Plugin = {
  name: 'without hardware',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/attested\.ts$/ }, ({ path }) =>
      path === './attested.ts' ? { path: join(BROWSER, 'attested.ts') } : undefined,
    )
  },
}

/** The core of every verdict as a library: for Node, and with what Node brings along put in its place for browsers. */
export const verifier: Recipe = {
  name: 'verifier',
  home: import.meta.dirname,
  imports: { browser: { names: '*', module: 'browser.js' } },
  async write(folder) {
    const entry = join(ROOT, ENTRY)
    const within = await bundleLibrary(entry, join(folder, 'index.js'), { platform: 'node' })
    const besides = await bundleLibrary(entry, join(folder, 'browser.js'), {
      platform: 'browser',
      alias: {
        'node:crypto': join(BROWSER, 'crypto.ts'),
        'jose/jws/compact/verify': join(BROWSER, 'jose.ts'),
      },
      inject: [join(BROWSER, 'bytes.ts')],
      plugins: [withoutHardware],
    })
    writeDeclarations(ENTRY, folder)
    const types = typesOf(ENTRY)
    return {
      manifest: {
        description: 'Judges the signed evidence of a Confidential Inference Router; opens no connection.',
        node: PROJECT_NODE,
        sideEffects: false,
        exports: { '.': { types, browser: './browser.js', default: './index.js' } },
        imports: { ...declaredImports, '#attestation': { types: typesOf('attestation/index.ts') } },
      },
      within: new Set([...within, ...besides]),
    }
  },
}
