import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Puts a compressed copy beside each file that gains by it, so that the router compresses nothing while it serves. */
export function compressAll(folder: string): void {
  for (const name of globSync('assets/*.{js,css,svg}', { cwd: folder })) {
    const file = join(folder, name)
    const bytes = readFileSync(file)
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: 9,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    }
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
