import { startReference } from './reference.ts'

// For people who write scenarios: brings the reference up and stays until Ctrl-C.
const reference = await startReference()
console.log(reference.targetFile)
process.once('SIGINT', () => void reference.stop())
process.once('SIGTERM', () => void reference.stop())
process.stdin.resume()
process.stdin.once('end', () => void reference.stop())
