import { compiledImports, compileProgram } from '../compile.ts'
import { writeLauncher } from '../launcher.ts'
import { PROJECT_NODE, type Recipe } from '../recipe.ts'

/** The verifying proxy with all of its commands, and its verdict alone: no database, and nothing of the router. */
export const proxy: Recipe = {
  name: 'proxy',
  home: import.meta.dirname,
  async write(folder) {
    const dependencies = await compileProgram(['proxy/main.ts', 'proxy/verifier/main.ts'], folder)
    const bin = {
      proxy: writeLauncher(folder, 'proxy', 'proxy/main.js'),
      verifier: writeLauncher(folder, 'verifier', 'proxy/verifier/main.js'),
    }
    const description = 'A local proxy that verifies a router’s evidence before it forwards anything.'
    return { manifest: { description, node: PROJECT_NODE, bin, imports: compiledImports, dependencies } }
  },
}
