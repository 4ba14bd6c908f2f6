import { runBackend } from './run.ts'

await runBackend(process.argv.slice(2))
