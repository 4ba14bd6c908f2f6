import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSite } from './build.ts'
import { PROJECT } from './project.ts'

const USAGE = `usage: npm run site [-- --into FOLDER]
  Builds the documents as a site, into dist/site. Open its index.html, or put the folder behind any web server.`

const { values } = parseArgs({
  options: {
    into: { type: 'string', default: join(PROJECT, 'dist', 'site') },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) console.log(USAGE)
else {
  const pages = await buildSite(values.into)
  console.log(
    `${pages} pages. Open ${join(values.into, 'index.html')}, which needs no server and no network.`,
  )
}
