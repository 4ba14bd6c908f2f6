import { installPackages } from '../../base/install.ts'

/** Installs the clients by their own lockfile, when that has not been done since it last changed. */
export function installClients(): void {
  installPackages(import.meta.dirname)
}

if (import.meta.main) installClients()
