import type { ApiError } from '../errors.ts'

/** How the backend's part of an answer ended. */
export type HopEnd =
  /** The answer is complete. */
  | { readonly kind: 'done' }
  /** The backend failed, or what it sent cannot be relayed. */
  | { readonly kind: 'failed'; readonly error: ApiError }
  /** The router itself ended the answer. */
  | { readonly kind: 'stopped'; readonly error: ApiError }
  /** The client has left, or was dropped because it read nothing. */
  | { readonly kind: 'gone'; readonly isStalled: boolean }
