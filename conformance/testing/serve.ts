import { startReference } from './reference.ts'

// For people who write scenarios: brings the reference up, prints its target file, and stays until Ctrl-C.
const reference = await startReference()
console.log(reference.targetFile)

let isStopping = false
const stop = (): void => {
  if (isStopping) return
  isStopping = true
  // Waiting for its end would keep this process alive.
  process.stdin.destroy()
  void reference.stop()
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
process.stdin.resume().once('end', stop)
