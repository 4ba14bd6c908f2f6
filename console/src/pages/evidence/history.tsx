import { Button, Group, Table, Text, VisuallyHidden } from '@mantine/core'
import type { ConsoleEndpoint } from '#contract/console/models'
import { Surface } from '../../parts/surface.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { inHex } from '../../words/digest.ts'
import { inFullTime } from '../../words/time.ts'

interface HistoryProps {
  readonly endpoint: ConsoleEndpoint
  readonly shown: string | undefined
  readonly onShow: (digest: string) => void
  readonly onCompare: (before: string, after: string) => void
}

/** The deployments that were seen at an endpoint; each can be shown, and compared with the one before. */
export function History({ endpoint: { history }, shown, onShow, onCompare }: HistoryProps) {
  return (
    <Surface
      title="Deployments seen"
      about="The newest first. A bundle that is signed anew for the same deployment is no new one."
    >
      {history.length === 0 ? (
        <Text c="dimmed">None yet.</Text>
      ) : (
        <TableFrame label="Deployments seen" minWidth={720}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Snapshot</Table.Th>
              <Table.Th>First seen</Table.Th>
              <Table.Th>Last signed</Table.Th>
              <Table.Th>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {history.map((seen, index) => {
              const before = history[index + 1]
              return (
                <Table.Tr key={seen.evidence_digest}>
                  <Table.Td maw={300}>
                    <code className="code foreign">{inHex(seen.evidence_digest)}</code>
                  </Table.Td>
                  <Table.Td>{inFullTime(seen.first_seen_at)}</Table.Td>
                  <Table.Td>{inFullTime(seen.issued_at)}</Table.Td>
                  <Table.Td>
                    <Group gap="xs" justify="flex-end" wrap="nowrap">
                      {seen.has_bundle && (
                        <Button
                          size="xs"
                          variant="default"
                          disabled={shown === seen.evidence_digest}
                          onClick={() => onShow(seen.evidence_digest)}
                        >
                          Show
                        </Button>
                      )}
                      {seen.has_bundle && before?.has_bundle && (
                        <Button
                          size="xs"
                          variant="default"
                          onClick={() => onCompare(before.evidence_digest, seen.evidence_digest)}
                        >
                          Compare with the one before
                        </Button>
                      )}
                    </Group>
                  </Table.Td>
                </Table.Tr>
              )
            })}
          </Table.Tbody>
        </TableFrame>
      )}
    </Surface>
  )
}
