import type { Subject, Target } from './target.ts'

/** The base URL of a subject, and its hostname where the URL has another. */
export interface Address {
  readonly baseUrl: string
  readonly hostname: string | undefined
}

/** The address of a subject; empty where the target names none. */
export function addressOf(
  subject: Subject,
  { baseUrl, proxyUrl = '', consoleUrl = '', platform }: Target,
): Address {
  switch (subject) {
    case 'router':
      return { baseUrl, hostname: undefined }
    case 'proxy':
      return { baseUrl: proxyUrl, hostname: undefined }
    case 'console':
      return { baseUrl: consoleUrl, hostname: undefined }
    case 'platform':
      return { baseUrl: platform?.url ?? '', hostname: platform?.hostname }
  }
}
