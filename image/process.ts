import manifest from '../package.json' with { type: 'json' }
import type { Process } from './layout.ts'
import type { Origin } from './sources.ts'

/** Nobody: it needs no name in a file of users. */
const USER = '65532:65532'

/** The router runs unless another command is given: `/app/platform/main.ts run` is the platform gateway. */
export function processOf(origin: Origin): Process {
  return {
    Env: [
      'PATH=/usr/bin',
      'NODE_ENV=production',
      // As bin/router has it: memory of large bodies goes back to the system.
      'MALLOC_MMAP_THRESHOLD_=262144',
    ],
    Entrypoint: ['/usr/bin/node'],
    // The first two as bin/router has them: the more there is for young objects, the less does collecting them cost.
    Cmd: [
      '--min-semi-space-size=32',
      '--max-semi-space-size=32',
      '/app/server/main.ts',
      'run',
      '--config',
      '/config/router.yaml',
    ],
    User: USER,
    WorkingDir: '/app',
    ExposedPorts: { '8080/tcp': {}, '9464/tcp': {} },
    Labels: {
      'org.opencontainers.image.title': manifest.name,
      'org.opencontainers.image.version': manifest.version,
      'org.opencontainers.image.revision': origin.commit,
      'org.opencontainers.image.licenses': manifest.license,
    },
  }
}
