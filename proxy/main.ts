import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { runProgram } from './program.ts'

// Halves the start. It lies beside the packages, where nobody can write who could not change the program itself.
enableCompileCache(join(import.meta.dirname, '..', 'node_modules', '.cache', 'proxy'))

const code = await runProgram(process.argv.slice(2))
if (code !== undefined) process.exitCode = code
