import { join } from 'node:path'
import { compile, formatDiagnostic, NodeHost } from '@typespec/compiler'

const EMITTER = '@router/contract-emitter'
const ENTRY = join(import.meta.dirname, '..', 'main.tsp')

/** Which scenarios there are; the suite writes it, and its tests keep it true. */
const SCENARIO_INDEX = join(import.meta.dirname, '..', '..', 'conformance', 'scenarios.json')

/** The vectors for verifiers, a file for each stage. */
const VECTORS = join(import.meta.dirname, '..', '..', 'conformance', 'vectors', 'corpus')

/** Compiles the contract and lets its emitter write into a folder. Warnings count as errors. */
export async function compileContract(folder: string, entry = ENTRY): Promise<void> {
  const program = await compile(NodeHost, entry, {
    emit: [EMITTER],
    outputDir: folder,
    options: {
      [EMITTER]: {
        'emitter-output-dir': folder,
        'scenario-index': SCENARIO_INDEX,
        'vector-folder': VECTORS,
      },
    },
  })
  if (program.diagnostics.length === 0) return
  const messages = program.diagnostics.map((diagnostic) => formatDiagnostic(diagnostic))
  throw new Error(`The contract does not compile:\n${messages.join('\n')}`)
}
