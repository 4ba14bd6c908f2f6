import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Notice } from '../../parts/notice.tsx'
import { inShortDollars } from '../../words/money.ts'

const TYPING_MS = 400

/** Letters and digits of a whole code; separators and case do not count. */
const WHOLE = 12

/** What an invitation grants, once its code is whole; anybody may ask that. */
export function Grant({ code }: { readonly code: string }) {
  const [typed] = useDebouncedValue(code.replace(/[^0-9a-z]/gi, ''), TYPING_MS)
  const { data } = useQuery({
    queryKey: ['invitation', typed],
    queryFn: ({ signal }) => lookUp(typed, signal),
    enabled: typed.length === WHOLE,
    retry: false,
  })
  if (data === undefined || typed.length !== WHOLE) return null
  return data === null ? (
    <Notice tone="warn">This invitation is unknown, used up or over. You can sign in without it.</Notice>
  ) : (
    <Notice tone="good">
      A new account gets {inShortDollars(data.grant_micros)}:{' '}
      <bdi className="foreign">{data.description}</bdi>
    </Notice>
  )
}

interface Invitation {
  readonly grant_micros: number
  readonly description: string
}

async function lookUp(code: string, signal: AbortSignal): Promise<Invitation | null> {
  const response = await fetch(`/v1/invites/${encodeURIComponent(code)}`, { signal })
  return response.ok ? ((await response.json()) as Invitation) : null
}
