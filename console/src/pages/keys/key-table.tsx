import { ActionIcon, Menu, Progress, Table, Text, VisuallyHidden } from '@mantine/core'
import { Chip, type Tone } from '../../parts/chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Money } from '../../parts/money.tsx'
import { TableFrame } from '../../parts/table-frame.tsx'
import { Ago } from '../../parts/time.tsx'
import { inShortDollars } from '../../words/money.ts'
import { inDay } from '../../words/time.ts'
import type { ConsoleKey } from './key.ts'

const states: Readonly<Record<ConsoleKey['state'], readonly [string, Tone]>> = {
  active: ['Active', 'good'],
  revoked: ['Revoked', 'bad'],
  expired: ['Expired', 'plain'],
}

interface KeyTableProps {
  readonly keys: readonly ConsoleKey[]
  readonly onEdit: (key: ConsoleKey) => void
  readonly onRevoke: (key: ConsoleKey) => void
}

/** Keys with what they have spent and what they may. */
export function KeyTable({ keys, onEdit, onRevoke }: KeyTableProps) {
  return (
    <TableFrame label="Keys" minWidth={860}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>State</Table.Th>
          <Table.Th>Models</Table.Th>
          <Table.Th ta="right">Spent</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>Ends</Table.Th>
          <Table.Th>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <Row key={key.id} apiKey={key} onEdit={onEdit} onRevoke={onRevoke} />
        ))}
      </Table.Tbody>
    </TableFrame>
  )
}

interface RowProps extends Omit<KeyTableProps, 'keys'> {
  readonly apiKey: ConsoleKey
}

function Row({ apiKey, onEdit, onRevoke }: RowProps) {
  const [word, tone] = states[apiKey.state]
  return (
    <Table.Tr>
      <Table.Td maw={260}>
        <Text component="bdi" fz="inherit" fw={600} className="foreign" display="block">
          {apiKey.name}
        </Text>
        <Text component="code" fz="xs" c="dimmed" className="code">
          {apiKey.prefix}…
        </Text>
      </Table.Td>
      <Table.Td>
        <Chip tone={tone}>{word}</Chip>
      </Table.Td>
      <Table.Td maw={200}>
        {apiKey.model_scope === null ? (
          <Text fz="inherit" c="dimmed">
            all
          </Text>
        ) : (
          <Text
            fz="inherit"
            component="bdi"
            className="foreign"
            lineClamp={2}
            title={apiKey.model_scope.join('\n')}
          >
            {apiKey.model_scope.join(', ')}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">
        <Spent apiKey={apiKey} />
      </Table.Td>
      <Table.Td>
        {apiKey.last_used_at === null ? (
          <Text fz="inherit" c="dimmed">
            never
          </Text>
        ) : (
          <Ago at={apiKey.last_used_at} />
        )}
      </Table.Td>
      <Table.Td>
        {apiKey.expires_at === null ? (
          <Text fz="inherit" c="dimmed">
            never
          </Text>
        ) : (
          inDay(apiKey.expires_at)
        )}
      </Table.Td>
      <Table.Td ta="right">
        {apiKey.state !== 'revoked' && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={`Change the key ${apiKey.name}`}>
                <Icon name="more" />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => onEdit(apiKey)}>Name, scope and limits</Menu.Item>
              <Menu.Item c="var(--mantine-color-error)" onClick={() => onRevoke(apiKey)}>
                Revoke
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function Spent({
  apiKey: { spent_micros: spent, spend_limit_micros: limit },
}: {
  readonly apiKey: ConsoleKey
}) {
  if (limit === null) return <Money micros={spent} />
  const share = limit === 0 ? 100 : Math.min(100, (100 * spent) / limit)
  return (
    <>
      <Money micros={spent} />
      <Text fz="xs" c="dimmed" className="number">
        of {inShortDollars(limit)}
      </Text>
      <Progress
        value={share}
        size={4}
        mt={4}
        color={share < 80 ? 'pine.6' : 'orange.7'}
        aria-label="Share of the spend limit"
      />
    </>
  )
}
