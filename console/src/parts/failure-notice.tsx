import { asFailure } from '../api/failure.ts'
import { Notice } from './notice.tsx'

const titles: Readonly<Record<string, string>> = {
  unreachable: 'The router cannot be reached',
  rate_limit_exceeded: 'Too often',
  overloaded: 'The router is busy',
  forbidden_origin: 'This page may not do that from here',
  conflict: 'It has changed meanwhile',
  not_found: 'It is not there any more',
}

/** Why something was not done, in the router's own words, and when it is worth another try. */
export function FailureNotice({ error }: { readonly error: unknown }) {
  const { code, message, retryAfter } = asFailure(error)
  return (
    <Notice tone="bad" title={titles[code] ?? 'That was not done'}>
      {message}
      {retryAfter !== undefined && ` Try again in ${retryAfter} s.`}
    </Notice>
  )
}
