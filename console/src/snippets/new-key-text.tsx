import { Group, Stack, Text } from '@mantine/core'
import { Copy } from '../parts/copy.tsx'
import { Notice } from '../parts/notice.tsx'
import { Snippets } from './snippets.tsx'

/** A new key's text, with what can be done with it at once. */
export function NewKeyText({ apiKey }: { readonly apiKey: string }) {
  return (
    <Stack gap="md">
      <Notice tone="warn" title="Copy it now: it is shown this once">
        The router keeps its SHA-256 alone and cannot show it again. Lost means: revoke it and create another.
      </Notice>
      <Group className="sunken" p="sm" gap="sm" justify="space-between" wrap="nowrap">
        <Text component="code" className="code foreign" data-testid="new-key">
          {apiKey}
        </Text>
        <Copy text={apiKey} what="the key" variant="filled" />
      </Group>
      <Snippets apiKey={apiKey} />
    </Stack>
  )
}
