import { resolve } from 'node:path'
import { loadTarget } from '../../conformance/engine/target.ts'

// `node check-target.ts FILE`: reads a target file as the suite does, and throws every mistake of it.
loadTarget(resolve(process.argv[2] ?? ''), process.env)
