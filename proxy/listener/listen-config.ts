import type { GuardOptions } from './guard.ts'
import type { Address } from './open.ts'

/** Where clients connect, and which of them may. A Unix socket takes the place of the address. */
export interface ListenConfig extends Address, GuardOptions {}
