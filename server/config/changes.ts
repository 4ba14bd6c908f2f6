import { isDeepStrictEqual } from 'node:util'
import type { RouterConfig } from './router.ts'

/** What a running router has opened, and so cannot have otherwise: by the path that the file has it at. */
const opened: readonly (readonly [string, (config: RouterConfig) => unknown])[] = [
  ['listen', ({ listen }) => listen],
  ['admin', ({ admin }) => admin],
  ['testControl', ({ testControl }) => testControl],
  ['publicBaseUrl', ({ publicBaseUrl }) => publicBaseUrl],
  ['dataDir', ({ dataDir }) => dataDir],
  ['secretsKey', ({ secretsKey }) => secretsKey],
  ['previousSecretsKeys', ({ previousSecretsKeys }) => previousSecretsKeys],
  ['console', ({ console }) => console && { ...console, administrators: undefined }],
  ['database', ({ database }) => database],
  ['redis', ({ redis }) => redis],
  ['traces', ({ traces }) => traces],
  ['limits.maxHeaderBytes', ({ limits }) => limits.maxHeaderBytes],
  ['timers.connectMs', ({ timers }) => timers.connectMs],
]

/** The settings that differ and that a running router cannot take up; everything else it can. */
export function restartNeededFor(before: RouterConfig, after: RouterConfig): readonly string[] {
  return opened.filter(([, read]) => !isDeepStrictEqual(read(before), read(after))).map(([path]) => path)
}
