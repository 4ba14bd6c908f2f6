import type { LiveFault } from './fault.ts'
import { authentication } from './faults/authentication.ts'
import { chat } from './faults/chat.ts'
import { console } from './faults/console.ts'
import { errors } from './faults/errors.ts'
import { evidence } from './faults/evidence.ts'
import { generations } from './faults/generations.ts'
import { headers } from './faults/headers.ts'
import { keys } from './faults/keys.ts'
import { limits } from './faults/limits.ts'
import { metering } from './faults/metering.ts'
import { models } from './faults/models.ts'
import { platform } from './faults/platform.ts'
import { proxy } from './faults/proxy.ts'
import { requests } from './faults/requests.ts'
import { streams } from './faults/streams.ts'
import { upstreams } from './faults/upstreams.ts'

/** Every fault that a deployment has a switch for, by topics. */
export const faults: readonly LiveFault[] = [
  ...authentication,
  ...keys,
  ...errors,
  ...headers,
  ...requests,
  ...chat,
  ...generations,
  ...streams,
  ...metering,
  ...limits,
  ...models,
  ...evidence,
  ...upstreams,
  ...proxy,
  ...platform,
  ...console,
]
