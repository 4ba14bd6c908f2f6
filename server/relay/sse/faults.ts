/** Why a backend's stream cannot be relayed any further. */
export type StreamFault =
  /** An event that is not a chunk: no JSON, no object, no choices. */
  | { readonly kind: 'malformed' }
  /** An event beyond the cap (STRM-20). */
  | { readonly kind: 'oversize' }
  /** The backend reports an error within the stream; its body, as a refusal would carry it. */
  | { readonly kind: 'error'; readonly body: unknown }
