import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { complain, complainOf, print } from '#base/print.ts'
import { buildImage } from './build.ts'

const DIST = join(import.meta.dirname, '..', 'dist', 'image')

const HELP = `usage: npm run image -- [options]
  Builds the image of the router and the platform gateway from the commit that is checked out: an OCI image layout for
  linux/amd64, with a list of what is in it and of what it was made of. The same commit gives the same bytes, whoever
  builds it, where and when. Prints the digest that a deployment names.

  --out FOLDER    where it is written (default: dist/image)
  --debs FOLDER   where Debian's packages are kept (default: debs in that folder)
  --json          prints one document; progress goes to standard error
  --help          prints this

  Needs git, tar, apt-get and dpkg-deb, as on Debian 12.`

try {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: DIST },
      debs: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) console.log(HELP)
  else await main(resolve(values.out), values.debs, values.json)
} catch (error) {
  complainOf(error)
  process.exitCode = isUsage(error) ? 2 : 1
}

async function main(out: string, debs: string | undefined, json: boolean): Promise<void> {
  const built = await buildImage(out, debs ? resolve(debs) : join(out, 'debs'), complain)
  print(json ? { json } : {}, built, [
    `${built.digest}`,
    `  of commit ${built.commit}`,
    `  image       ${built.layout}`,
    `  contents    ${built.bom}`,
    `  provenance  ${built.provenance}`,
  ])
}

function isUsage(error: unknown): boolean {
  return (
    error instanceof TypeError && String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
  )
}
