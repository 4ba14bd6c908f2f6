// Keeps what V8 has made of each file, TypeScript taken out, for the next start: half of what a start takes otherwise. It lies
// among the packages, where whoever may write could change the program itself, and goes with them; where nobody may
// write, each start does it anew. A preload and no NODE_COMPILE_CACHE: that would be handed on to what a command starts.
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

enableCompileCache(join(__dirname, '..', 'node_modules', '.cache', 'compiled'))
