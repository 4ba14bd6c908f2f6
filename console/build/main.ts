import { performance } from 'node:perf_hooks'
import { buildPage } from './build.ts'

// `npm run console:build`: the console's page, when its sources have changed.
const startedAt = performance.now()
const isNew = await buildPage()
const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
console.log(isNew ? `The console's page was built in ${seconds} s.` : "The console's page is up to date.")
