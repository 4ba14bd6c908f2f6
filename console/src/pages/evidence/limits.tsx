import { List } from '@mantine/core'
import { Surface } from '../../parts/surface.tsx'

/** What all of this is not, said plainly. */
export function Limits() {
  return (
    <Surface title="What this does not prove">
      <List spacing="xs" fz="0.9375rem">
        <List.Item>
          <strong>No hardware is proven.</strong> The router looks at no{' '}
          <code className="code">rootCaTeeQuote</code> of its own platform. Your own proxy judges it where you
          demand hardware of a root.
        </List.Item>
        <List.Item>
          <strong>The label of the hardware is read, not verified.</strong> It stands in a certificate, and
          says nothing about a GPU.
        </List.Item>
        <List.Item>
          <strong>The router never judges its own evidence.</strong> “Published” is no verdict, and the digest
          in a record of a request states what was published then.
        </List.Item>
        <List.Item>
          <strong>This page came from the router that it is about.</strong> A router that lies could serve a
          page that lies. Verify with your own proxy, on your own machine:{' '}
          <code className="code">bin/proxy verify</code> checks signature, certificates, root and the pin that
          you chose.
        </List.Item>
      </List>
    </Surface>
  )
}
