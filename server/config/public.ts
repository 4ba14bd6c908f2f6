import { isLoopback } from './loopback.ts'

/** Whether strangers reach an address: then what protects them must not depend on one machine's disk. */
export function isPublicHttps(url: string): boolean {
  const { protocol, hostname = '' } = URL.parse(url) ?? {}
  return protocol === 'https:' && !/(^|\.)localhost$/.test(hostname) && !isLoopback(hostname)
}
