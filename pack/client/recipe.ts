import { join } from 'node:path'
import { bundleLibrary } from '../bundle.ts'
import { declaredImports, typesOf, writeDeclarations } from '../declarations.ts'
import { type Recipe, ROOT } from '../recipe.ts'

const ENTRY = 'client/index.ts'

/** The typed client: one module for Node, browsers and bundlers, and its types. */
export const client: Recipe = {
  name: 'client',
  home: import.meta.dirname,
  imports: {
    all: { names: '*', module: 'index.js' },
    stream: { names: '{ streamChat }', module: 'index.js' },
  },
  async write(folder) {
    const within = await bundleLibrary(join(ROOT, ENTRY), join(folder, 'index.js'))
    writeDeclarations(ENTRY, folder)
    return {
      manifest: {
        description: 'A typed client of the Confidential Inference Router.',
        node: '20.11',
        sideEffects: false,
        exports: { '.': { types: typesOf(ENTRY), default: './index.js' } },
        imports: declaredImports,
      },
      within,
    }
  },
}
