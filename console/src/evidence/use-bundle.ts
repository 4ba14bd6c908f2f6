import { useQuery } from '@tanstack/react-query'
import { readFailure, unreachable } from '../api/failure.ts'
import { type ReadBundle, readBundle } from './read.ts'

/** A bundle that was read, and what the answer said of its bytes. */
export interface FetchedBundle {
  readonly bundle: ReadBundle
  readonly etag: string | undefined
  /** Where anybody can fetch the same bytes. */
  readonly address: string
}

/** Fetches a bundle's bytes and reads them: a kept one by its digest, or what is published now. */
export function useBundle(endpoint: string, digest: string | undefined) {
  return useQuery({
    queryKey: ['bundle', endpoint, digest ?? 'now'],
    queryFn: ({ signal }) => fetchBundle(addressOf(endpoint, digest), signal),
    staleTime: 30_000,
  })
}

function addressOf(endpoint: string, digest: string | undefined): string {
  const name = encodeURIComponent(endpoint)
  return digest === undefined
    ? `/v1/evidence/${name}`
    : `/console/api/endpoints/${name}/bundles/${encodeURIComponent(digest.replace(/^sha256\//, ''))}`
}

async function fetchBundle(address: string, signal: AbortSignal): Promise<FetchedBundle> {
  const response = await fetch(address, { signal }).catch((cause) => Promise.reject(unreachable(cause)))
  if (!response.ok) throw await readFailure(response)
  const bundle = await readBundle(new Uint8Array(await response.arrayBuffer()))
  return { bundle, etag: response.headers.get('etag') ?? undefined, address }
}
