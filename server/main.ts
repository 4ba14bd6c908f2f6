import { runProgram } from './program.ts'

const code = await runProgram(process.argv.slice(2))
if (code !== undefined) process.exitCode = code
