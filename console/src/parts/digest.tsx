import { Group } from '@mantine/core'
import { inHex } from '../words/digest.ts'
import { Copy } from './copy.tsx'

/** A digest as people compare it, whole, so that nobody compares its beginning alone. */
export function Digest({ wire }: { readonly wire: string }) {
  const hex = inHex(wire)
  return (
    <Group gap="sm" wrap="nowrap" align="center">
      <code className="code foreign">{hex}</code>
      <Copy text={hex} what="the digest" variant="subtle" />
    </Group>
  )
}
