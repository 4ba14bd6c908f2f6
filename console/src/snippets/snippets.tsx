import { Group, ScrollArea, SegmentedControl, Stack, Tabs, Text } from '@mantine/core'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { Copy } from '../parts/copy.tsx'
import { useMe } from '../session/me.ts'
import styles from './snippets.module.css'
import { PROXY_URL, snippetsFor } from './texts.ts'

/** Ready programs for a key, at the verifying proxy or at the router itself. */
export function Snippets({ apiKey }: { readonly apiKey: string }) {
  const { settings } = useMe()
  const models = api.useQuery('get', '/models')
  const [at, setAt] = useState<'proxy' | 'router'>('proxy')
  const model = models.data?.data.find(isChat)?.id ?? 'model'
  const snippets = snippetsFor({ baseUrl: at === 'proxy' ? PROXY_URL : settings.base_url, apiKey, model })
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <Text fw={600}>Use it</Text>
        <SegmentedControl
          size="xs"
          aria-label="Where it is sent"
          value={at}
          onChange={(value) => setAt(value as 'proxy')}
          data={[
            { value: 'proxy', label: 'Through your proxy' },
            { value: 'router', label: 'Straight to the router' },
          ]}
        />
      </Group>
      <Text fz="sm" c="dimmed">
        {at === 'proxy'
          ? 'The proxy on your machine checks the router’s evidence before it sends a byte: bin/proxy run.'
          : 'Billed alike, and verified by nobody on your side.'}
      </Text>
      <Tabs defaultValue="shell" keepMounted={false}>
        <Tabs.List>
          {snippets.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ id, name, install, text }) => (
          <Tabs.Panel key={id} value={id} pt="sm">
            <div className={styles.head}>
              <code className="code">{install}</code>
              <Copy text={text} what={`the snippet for ${name}`} />
            </div>
            <ScrollArea.Autosize mah={320} className="sunken" viewportProps={{ tabIndex: 0 }}>
              <pre className={styles.text}>{text}</pre>
            </ScrollArea.Autosize>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  )
}

function isChat({
  capabilities,
  state,
}: {
  readonly capabilities: readonly string[]
  readonly state: string
}) {
  return state === 'available' && capabilities.includes('chat')
}
