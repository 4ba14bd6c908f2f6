import { renameSync, rmSync, writeFileSync } from 'node:fs'

/** Writes a file that only its owner reads. One that is there already stays as it is, unless it is to be replaced. */
export function keepFile(file: string, bytes: Uint8Array, { force }: { readonly force: boolean }): void {
  const scratch = `${file}.${process.pid}.new`
  try {
    writeFileSync(force ? scratch : file, bytes, { flag: 'wx', mode: 0o600 })
    if (force) renameSync(scratch, file)
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (force) rmSync(scratch, { force: true })
    throw new Error(
      code === 'EEXIST' && !force
        ? `${file} is there already, and stays as it is: name another file, or say --force.`
        : `${file} cannot be written (${message}).`,
      { cause },
    )
  }
}
