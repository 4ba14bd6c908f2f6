import { setFlagsFromString } from 'node:v8'

/**
 * Has V8 decide by all of its memory when to look through it. By itself it does so as well whenever what its objects hold
 * elsewhere has grown by 64 MB, and a TLS connection is taken for 47 kB: while 5,000 were opened, it looked through the
 * growing heap sixteen times in place of six, which was a tenth of the gateway's time (docs/performance.md).
 */
export function collectByWholeMemory(): void {
  setFlagsFromString('--external-memory-accounted-in-global-limit')
}
