import type { Subject, Target } from './target.ts'

/** Where a subject is, and the name that it goes by where that is not the address's own. */
export interface Address {
  readonly baseUrl: string
  readonly hostname: string | undefined
}

/** The address of a subject; empty where the target names none. */
export function addressOf(subject: Subject, { baseUrl, proxyUrl = '', platform }: Target): Address {
  switch (subject) {
    case 'router':
      return { baseUrl, hostname: undefined }
    case 'proxy':
      return { baseUrl: proxyUrl, hostname: undefined }
    case 'platform':
      return { baseUrl: platform?.url ?? '', hostname: platform?.hostname }
  }
}
