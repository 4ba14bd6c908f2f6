/**
 * Values of `node:http`. An import of it reads every one of its exports, and Node makes one of them, `WebSocket`, by loading
 * its whole `fetch`: a start would wait for what nothing here uses (docs/performance.md).
 */
export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http')
