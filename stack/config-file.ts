import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'

/** How a configuration file begins that the starter has written. */
export const CONFIG_MARK = '# Written by npm start'

/** Writes the configuration file of a part. */
export function writeConfig(file: string, document: object): void {
  writeFileSync(file, `${CONFIG_MARK}, anew each time.\n${stringify(document, { lineWidth: 0 })}`)
}
