import type { EndpointConfig } from '../config/router.ts'

/** Finds endpoints of the router's own configuration. */
export interface OwnEndpoints {
  /** The one that the bare path speaks of; undefined when the router cannot tell. */
  readonly main: EndpointConfig | undefined
  /** By name or hostname. */
  find(nameOrHostname: string): EndpointConfig | undefined
}

/** The main endpoint is the one with the public base URL's host, else the only one there is (EVID-28). */
export function createOwnEndpoints(
  endpoints: readonly EndpointConfig[],
  publicBaseUrl: string,
): OwnEndpoints {
  const { hostname: publicHostname } = new URL(publicBaseUrl)
  const only = endpoints.length === 1 ? endpoints[0] : undefined
  return {
    main: endpoints.find(({ hostname }) => hostname === publicHostname) ?? only,
    find: (key) =>
      endpoints.find(({ name }) => name === key) ?? endpoints.find(({ hostname }) => hostname === key),
  }
}
